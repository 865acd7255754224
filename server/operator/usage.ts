// The command line of `npm run operator`. Pure.
import { parseWords, UsageError } from '../../pipeline/commands/terminal.ts'
import { readTarget, TARGET_KINDS, type TargetKind } from '../moderation/rules.ts'
import { FEATURES } from '../modes/rules.ts'
import { OUTCOMES } from '../reviews/rules.ts'
import { readAfter, readId, readLimit } from '../wire/query.ts'

export const USAGE = `What only an operator may do, safe beside a running server.

  npm run operator -- review MESSAGE_ID --outcome ${OUTCOMES.join('|')}
                      --reason R [--evidence-note N]
      records a review of a message of an investigation; it supersedes the message's earlier one.
      The outcome substantiated needs an evidence note.
  npm run operator -- hide|show message|directory|investigation ID --reason R
      hides or shows a record and all that lies below it; a directory is named by its path.
      What is hidden (or not hidden) already stays so: exit 1, and nothing is logged.
  npm run operator -- mode read-only|open [--reason R]
  npm run operator -- feature ${FEATURES.join('|')} on|off [--reason R]
      switches take effect within a second and outlive a restart; a switch that stands so already
      is left alone and not logged.
  npm run operator -- log [--after ID] [--limit N]
      every hide, show and switch, oldest first: at most N (1 to 100, default 50) after ID
  npm run operator -- status
      switches, record counts, and the last notes of life of servers
  --json   prints JSON
  --help   prints this

The database is found as the server finds it: DATABASE_URL, or DATA_DIR (default ./data).
Exit: 0 done, 1 not done and why, 2 wrong usage.
`

const OPTIONS = {
  outcome: { type: 'string' },
  reason: { type: 'string' },
  'evidence-note': { type: 'string' },
  after: { type: 'string' },
  limit: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

type OptionName = 'outcome' | 'reason' | 'evidence-note' | 'after' | 'limit'

interface Grammar {
  /** Words after the command; a list says which ones are known. */
  words: { name: string; oneOf?: readonly string[] }[]
  required: OptionName[]
  optional: OptionName[]
}

const TARGET: Grammar = {
  words: [{ name: 'kind of record', oneOf: TARGET_KINDS }, { name: 'ID' }],
  required: ['reason'],
  optional: [],
}

const GRAMMARS = {
  review: {
    words: [{ name: 'MESSAGE_ID' }],
    required: ['outcome', 'reason'],
    optional: ['evidence-note'],
  },
  hide: TARGET,
  show: TARGET,
  mode: {
    words: [{ name: 'mode', oneOf: ['read-only', 'open'] }],
    required: [],
    optional: ['reason'],
  },
  feature: {
    words: [
      { name: 'feature', oneOf: FEATURES },
      { name: 'switch', oneOf: ['on', 'off'] },
    ],
    required: [],
    optional: ['reason'],
  },
  log: { words: [], required: [], optional: ['after', 'limit'] },
  status: { words: [], required: [], optional: [] },
} as const satisfies Record<string, Grammar>

export type CommandName = keyof typeof GRAMMARS

export interface Arguments {
  command: CommandName
  /** As many as the command's grammar has. */
  words: string[]
  options: Partial<Record<OptionName, string>>
  /** What `log` shows. */
  page: { after: bigint; limit: number }
  json: boolean
}

/**
 * @returns null when help was asked for
 * @throws UsageError with one line
 */
export function parseArguments(args: string[]): Arguments | null {
  const { values, words: typed } = parseWords(args, OPTIONS)
  const { json = false, help = false, ...options } = values
  if (help) return null
  const [command, ...words] = typed
  if (command === undefined) throw new UsageError('a command is missing; see --help')
  if (!isCommand(command)) throw new UsageError(`there is no command ${command}; see --help`)
  checkWords(command, words)
  checkId(command, words)
  checkOptions(command, options)
  return { command, words, options, page: pageOf(options), json }
}

const isCommand = (name: string): name is CommandName => Object.hasOwn(GRAMMARS, name)

function checkWords(command: CommandName, words: string[]): void {
  const expected: Grammar['words'] = GRAMMARS[command].words
  for (const [i, { name, oneOf }] of expected.entries()) {
    const word = words[i]
    const known = oneOf === undefined ? '' : `: one of ${oneOf.join(', ')}`
    if (word === undefined) throw new UsageError(`${command}: the ${name} is missing${known}`)
    if (oneOf && !oneOf.includes(word))
      throw new UsageError(`${command}: ${JSON.stringify(word)} is no ${name}${known}`)
  }
  const extra = words[expected.length]
  if (extra !== undefined)
    throw new UsageError(`${command}: ${JSON.stringify(extra)} is one word too many`)
}

/** What names no record can name none: wrong usage, and not a record that is missing. */
function checkId(command: CommandName, words: string[]): void {
  try {
    if (command === 'review') readId(words[0])
    if (command === 'hide' || command === 'show')
      readTarget(words[0] as TargetKind, words[1] as string)
  } catch (error) {
    throw new UsageError(`${command}: ${(error as Error).message}`)
  }
}

function checkOptions(command: CommandName, options: Arguments['options']): void {
  const { required, optional }: Grammar = GRAMMARS[command]
  const missing = required.find((name) => options[name] === undefined)
  if (missing) throw new UsageError(`${command}: --${missing} is missing`)
  const taken = [...required, ...optional]
  const extra = (Object.keys(options) as OptionName[]).find((name) => !taken.includes(name))
  if (extra) throw new UsageError(`${command}: takes no --${extra}`)
  const { outcome } = options
  if (outcome !== undefined && !(OUTCOMES as readonly string[]).includes(outcome))
    throw new UsageError(`--outcome: must be one of ${OUTCOMES.join(', ')}`)
}

/** The same rules and defaults as of a list over HTTP. */
function pageOf({ after, limit }: Arguments['options']): Arguments['page'] {
  const query = new URLSearchParams({
    ...(after !== undefined && { after }),
    ...(limit !== undefined && { limit }),
  })
  try {
    return { after: readAfter(query), limit: readLimit(query) }
  } catch (error) {
    throw new UsageError(`--${(error as Error).message}`)
  }
}
