#!/usr/bin/env node
// The program of the package daysignal-verify: the commands of those who read an archive, without the service
// (COMMANDS.md 8.1). Each is loaded when it is named, because older versions of Node lack what mirror needs.
import { systemCode } from '../../archive/base/system-error.ts'
import { type Command, execute, runCommand, UsageError } from '../../archive/base/terminal.ts'
import { loadDotEnv } from '../../server/data/environment.ts'

const COMMANDS: Record<string, () => Promise<Command>> = {
  verify: async () => (await import('./verify.ts')).verify,
  mirror: async () => (await import('./mirror.ts')).mirror,
  decode: async () => (await import('./decode.ts')).decode,
  encode: async () => (await import('./encode.ts')).encode,
}
const NAME = 'daysignal-verify'

const HELP = `Verifies, mirrors and decodes archives of Daysignal, without the service.

  ${NAME} verify [DIR or URL]
  ${NAME} mirror URL DIR
  ${NAME} decode FILE.wav…
  ${NAME} encode SNAPSHOT.json OUT.wav

Each of the four has --help.
`

const reader: Command = {
  name: NAME,
  async run([name = '', ...args], terminal) {
    if (name === '--help' || name === '-h') {
      terminal.stdout.write(HELP)
      return 0
    }
    if (!Object.hasOwn(COMMANDS, name))
      throw new UsageError(`name one of ${Object.keys(COMMANDS).join(', ')}`)
    return execute(await load(name), args, { ...terminal, start: `${NAME} ${name}` })
  },
}

/** @throws Error if this version of Node lacks the module that only mirror needs */
async function load(name: string): Promise<Command> {
  try {
    return (await COMMANDS[name]?.()) as Command
  } catch (error) {
    if (systemCode(error) !== 'ERR_UNKNOWN_BUILTIN_MODULE') throw error
    const { node } = process.versions
    throw new Error(`${name} needs Node 22.13 or later, and this is ${node}`, { cause: error })
  }
}

await runCommand(reader, () => {
  loadDotEnv()
  return process.env
})
