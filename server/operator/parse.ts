// Parses the command line of `npm run operator`, and composes its help. Pure.

import { parseWords, UsageError } from '../../archive/base/terminal.ts'
import { wrapped } from '../../archive/base/terminal-text.ts'
import { Problem } from '../wire/problem.ts'
import type { Action, Command } from './command.ts'
import { COMMANDS } from './commands.ts'

export interface Request {
  action: Action
  json: boolean
}

/** The options of all commands: the command is not known before they are parsed. */
const OPTIONS = {
  ...Object.fromEntries(
    COMMANDS.flatMap(({ options }) =>
      Object.entries(options).map(([name, { type }]) => [name, { type }]),
    ),
  ),
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

type Options = Record<string, string | boolean | undefined>

/**
 * Parses the arguments.
 * @returns null for `--help`
 * @throws UsageError with one line
 */
export function parseRequest(args: string[]): Request | null {
  const { values, words: allWords } = parseWords(args, OPTIONS)
  const { json = false, help = false, ...options } = values
  if (help) return null
  const [name, ...words] = allWords
  if (name === undefined) throw new UsageError('a command is missing')
  const command = COMMANDS.find((one) => one.name === name)
  if (!command) throw new UsageError(`there is no command ${name}`)
  checkWords(command, words)
  checkOptions(command, options)
  try {
    return { action: command.prepare(words, options), json }
  } catch (error) {
    throw error instanceof Problem ? new UsageError(`${name}: ${error.message}`) : error
  }
}

function checkWords({ name: command, words: expected }: Command, words: string[]): void {
  for (const [i, { name, oneOf, isOptional }] of expected.entries()) {
    const word = words[i]
    if (word === undefined && isOptional) break
    const rule = oneOf === undefined ? '' : `; must be one of ${oneOf.join(', ')}`
    if (word === undefined) throw new UsageError(`${command}: the ${name} is missing${rule}`)
    if (word === '') throw new UsageError(`${command}: the ${name} is empty`)
    if (oneOf && !oneOf.includes(word))
      throw new UsageError(`${command}: ${JSON.stringify(word)} is not a ${name}${rule}`)
  }
  const extra = words[expected.length]
  if (extra !== undefined)
    throw new UsageError(`${command}: unexpected argument ${JSON.stringify(extra)}`)
}

function checkOptions({ name: command, options: rules }: Command, options: Options): void {
  const required = Object.keys(rules).filter((name) => rules[name]?.isRequired)
  const missing = required.find((name) => options[name] === undefined)
  if (missing) throw new UsageError(`${command}: --${missing} is missing`)
  const extra = Object.keys(options).find((name) => !Object.hasOwn(rules, name))
  if (extra) throw new UsageError(`${command}: does not take --${extra}`)
}

const COLUMNS = 80
const START = '  npm run operator -- '

const helpOf = ({ forms, summary }: Command['help'][number]): string =>
  [
    ...forms.map((form) => wrapped(`${START}${form}`, COLUMNS, ' '.repeat(START.length))),
    wrapped(`      ${summary}`, COLUMNS, ' '.repeat(6)),
  ].join('\n')

export const HELP = `Operator commands. They are safe to run next to a running server.

${COMMANDS.flatMap(({ help }) => help.map(helpOf)).join('\n')}
  --json   prints JSON
  --help   prints this help

Every action is public, with its reason, at /moderation. One that would change
nothing is reported, exits 0 and is not recorded.
The database is the one of the server: DATABASE_URL, or the one in DATA_DIR
(default ./data). Exit codes: 0 done, 1 not done, 2 usage error.
`
