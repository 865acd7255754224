// Finds the command in the arguments of `npm run operator`, and composes the help of all. Pure.
import { COLUMNS, type OptionRules, paragraph, split } from '../../archive/base/command-line.ts'
import { UsageError } from '../../archive/base/terminal.ts'
import { wrapped } from '../../archive/base/terminal-text.ts'
import { Problem } from '../wire/problem.ts'
import type { Action, Command } from './command.ts'
import { COMMANDS } from './commands.ts'

export interface ParsedCommand {
  action: Action
  json: boolean
}

/** The options of all commands: the command is not known before they are parsed. */
const OPTIONS: OptionRules = {
  ...Object.fromEntries(COMMANDS.flatMap(({ options }) => Object.entries(options))),
  json: {},
}

/**
 * Parses the arguments.
 * @returns null for `--help`
 * @throws UsageError with one line
 */
export function parseRequest(args: string[]): ParsedCommand | null {
  const { given: all, words: allWords } = split(args, OPTIONS)
  const { json, help, ...given } = all
  if (help) return null
  const [name, ...words] = allWords
  if (name === undefined) throw new UsageError('a command is missing')
  const command = COMMANDS.find((one) => one.name === name)
  if (!command) throw new UsageError(`there is no command ${name}`)
  try {
    return { action: command.accept(words, given), json: json === true }
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof Problem)) throw error
    throw new UsageError(`${name}: ${error.message}`)
  }
}

const START = '  npm run operator -- '

const helpOf = ({ forms, summary }: Command['help'][number]): string =>
  [
    ...forms.map((form) => wrapped(`${START}${form}`, COLUMNS, ' '.repeat(START.length))),
    paragraph(summary, 6),
  ].join('\n')

export const HELP = `Operator commands. They are safe to run next to a running server.

${COMMANDS.flatMap(({ help }) => help.map(helpOf)).join('\n')}
  --json     prints JSON
  --version  prints the version of the program
  --help     prints this help

Every action is public, with its reason, at /moderation. One that would change
nothing is reported, exits 0 and is not recorded.
The database is the one of the server: DATABASE_URL, or the one in DATA_DIR
(default ./data). Exit codes: 0 done, 1 not done, 2 usage error.
`
