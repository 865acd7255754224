// The commands of `npm run operator`: finds the one in the arguments, and composes the help. Pure.
import { COLUMNS, type OptionRules, paragraph, split } from '../../archive/base/command-line.ts'
import { UsageError } from '../../archive/base/terminal.ts'
import { wrapped } from '../../archive/base/terminal-text.ts'
import { Problem } from '../wire/problem.ts'
import type { Action, Command } from './command.ts'
import { check } from './commands/check.ts'
import { clock } from './commands/clock.ts'
import { erase } from './commands/erase.ts'
import { backup, exportCommand } from './commands/export.ts'
import { hide, show } from './commands/hide.ts'
import { importCommand } from './commands/import.ts'
import { log } from './commands/log.ts'
import { feature, mode } from './commands/mode.ts'
import { review } from './commands/review.ts'
import { status } from './commands/status.ts'

/** The commands, in the order of their help. */
export const COMMANDS: readonly Command[] = [
  review,
  hide,
  show,
  erase,
  mode,
  feature,
  clock,
  log,
  status,
  check,
  backup,
  exportCommand,
  importCommand,
]

/** The options of all commands: the command is not known before they are parsed. */
const OPTIONS: OptionRules = {
  ...Object.fromEntries(COMMANDS.flatMap(({ options }) => Object.entries(options))),
  json: {},
}

/**
 * Parses the arguments.
 * @returns for `--help` the help: of the command, if one is named
 * @throws UsageError with one line
 */
export function parseRequest(args: string[]): { action: Action; json: boolean } | { help: string } {
  const { given: all, words: allWords } = split(args, OPTIONS)
  const { json, help, ...given } = all
  const [name, ...words] = allWords
  const command = COMMANDS.find((one) => one.name === name)
  if (help) return { help: command ? `${helpOf(command)}\n\n${CLOSING}` : HELP }
  if (name === undefined) throw new UsageError('a command is missing')
  if (!command) throw new UsageError(`there is no command ${name}`)
  try {
    return { action: command.accept(words, given), json: json === true }
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof Problem)) throw error
    throw new UsageError(`${name}: ${error.message}`)
  }
}

const START = '  npm run operator -- '

const helpOf = ({ help }: Command): string =>
  Object.entries(help)
    .flatMap(([forms, summary]) => [
      ...forms
        .split('\n')
        .map((form) => wrapped(`${START}${form}`, COLUMNS, ' '.repeat(START.length))),
      paragraph(summary, 6),
    ])
    .join('\n')

const CLOSING = `  --json     prints JSON
  --version  prints the version of the program
  --help     prints this help

Every action is public, with its reason, at /moderation. One that would change
nothing is reported, exits 0 and is not recorded.
The database is the one of the server: DATABASE_URL, or the one in DATA_DIR
(default ./data). Exit codes: 0 done, 1 not done, 2 usage error.
`

export const HELP = `Operator commands. They are safe to run next to a running server.

${COMMANDS.map(helpOf).join('\n')}
${CLOSING}`
