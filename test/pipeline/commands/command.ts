// Runs npm run snapshot as a real process.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../../support/programs.ts'

export const CLI = fileURLToPath(new URL('../../../pipeline/commands/snapshot.ts', import.meta.url))

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

/** Starts the command in a folder, from which it reads .env. Its environment is PATH and `env`. */
export function startCommand(
  args: string[],
  cwd: string,
  env: Record<string, string>,
): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd,
    env: childEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = Promise.all([text(child.stdout!), text(child.stderr!), once(child, 'close')]).then(
    ([stdout, stderr, [code, signal]]) => ({ stdout, stderr, code, signal }),
  )
  return { child, ended }
}

export const runCommand = (args: string[], cwd: string, env: Record<string, string> = {}) =>
  startCommand(args, cwd, env).ended
