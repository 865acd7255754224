// Parses and validates the command line of `npm run operator`, before the database is opened. Pure.
import { parseWords, UsageError } from '../../pipeline/commands/terminal.ts'
import type { Erasure } from '../moderation/erase.ts'
import { type Moderation, readTarget, reasonInput, TARGET_KINDS } from '../moderation/rules.ts'
import { FEATURES, type Feature } from '../modes/rules.ts'
import { type ReviewInput, reviewInput } from '../reviews/rules.ts'
import { Problem } from '../wire/problem.ts'
import { readAfter, readId, readLimit } from '../wire/query.ts'
import { readShape } from '../wire/shape.ts'

/** A parsed command. Every value has been validated. */
export type Command =
  | { name: 'review'; input: ReviewInput }
  | { name: 'hide' | 'show'; moderation: Moderation }
  | { name: 'erase'; erasure: Erasure }
  | { name: 'mode'; readOnly: boolean; reason: string }
  | { name: 'feature'; feature: Feature; on: boolean; reason: string }
  | { name: 'clock'; act: 'accept' | 'repair'; reason: string; dryRun: boolean }
  | { name: 'log'; after: bigint; limit: number }
  | { name: 'status'; check: boolean }
  | { name: 'import'; file: string }
  | { name: 'backup' | 'export'; file: string }

export interface Request {
  command: Command
  json: boolean
}

const OPTIONS = {
  outcome: { type: 'string' },
  reason: { type: 'string' },
  'evidence-note': { type: 'string' },
  after: { type: 'string' },
  limit: { type: 'string' },
  check: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

type OptionName = Exclude<keyof typeof OPTIONS, 'json' | 'help'>
type Switch = 'check' | 'dry-run'
type Options = Partial<Record<Exclude<OptionName, Switch>, string>> &
  Partial<Record<Switch, boolean>>

interface Grammar {
  /** The arguments after the command name; `oneOf` lists the allowed values. */
  words: { name: string; oneOf?: readonly string[] }[]
  required: OptionName[]
  optional: OptionName[]
  /** @throws Problem for a value that breaks a rule */
  read(words: string[], options: Options): Command
}

const moderation = (name: 'hide' | 'show'): Grammar => ({
  words: [{ name: 'kind of record', oneOf: TARGET_KINDS }, { name: 'ID' }],
  required: ['reason'],
  optional: [],
  read: ([kind, id], options) => {
    const target = readTarget(kind as (typeof TARGET_KINDS)[number], id as string)
    return { name, moderation: { act: name, reason: reasonOf(options), ...target } }
  },
})

const onFile = (name: 'backup' | 'export' | 'import'): Grammar => ({
  words: [{ name: 'FILE' }],
  required: [],
  optional: [],
  read: ([file = '']) => ({ name, file }),
})

const GRAMMARS: Record<Command['name'], Grammar> = {
  review: {
    words: [{ name: 'MESSAGE_ID' }],
    required: ['outcome', 'reason'],
    optional: ['evidence-note'],
    read: ([id = ''], { outcome, reason, 'evidence-note': evidence_note }) => {
      const message_id = readId(id, 'MESSAGE_ID')
      const input = readShape(reviewInput, { message_id, outcome, reason, evidence_note })
      return { name: 'review', input }
    },
  },
  hide: moderation('hide'),
  show: moderation('show'),
  erase: {
    words: [{ name: 'kind of record', oneOf: ['message'] }, { name: 'ID' }],
    required: ['reason'],
    optional: [],
    read: ([, id = ''], options) => ({
      name: 'erase',
      erasure: { id: readId(id), reason: reasonOf(options) },
    }),
  },
  mode: {
    words: [{ name: 'mode', oneOf: ['read-only', 'open'] }],
    required: ['reason'],
    optional: [],
    read: ([to], options) => ({
      name: 'mode',
      readOnly: to === 'read-only',
      reason: reasonOf(options),
    }),
  },
  feature: {
    words: [
      { name: 'feature', oneOf: FEATURES },
      { name: 'switch', oneOf: ['on', 'off'] },
    ],
    required: ['reason'],
    optional: [],
    read: ([feature, to], options) => ({
      name: 'feature',
      feature: feature as Feature,
      on: to === 'on',
      reason: reasonOf(options),
    }),
  },
  clock: {
    words: [{ name: 'action', oneOf: ['accept', 'repair'] }],
    required: ['reason'],
    optional: ['dry-run'],
    read: ([act], options) => {
      const dryRun = options['dry-run'] ?? false
      if (dryRun && act === 'accept') throw new UsageError('clock: accept does not take --dry-run')
      const reason = reasonOf(options)
      return { name: 'clock', act: act as 'accept' | 'repair', reason, dryRun }
    },
  },
  log: {
    words: [],
    required: [],
    optional: ['after', 'limit'],
    read: (_, { after, limit }) => {
      const query = new URLSearchParams({
        ...(after !== undefined && { after }),
        ...(limit !== undefined && { limit }),
      })
      return { name: 'log', after: readAfter(query), limit: readLimit(query) }
    },
  },
  status: {
    words: [],
    required: [],
    optional: ['check'],
    read: (_, { check = false }) => ({ name: 'status', check }),
  },
  backup: onFile('backup'),
  export: onFile('export'),
  import: onFile('import'),
}

const reasonOf = ({ reason }: Options): string => readShape(reasonInput, { reason }).reason

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
  if (!isCommand(name)) throw new UsageError(`there is no command ${name}`)
  checkWords(name, words)
  checkOptions(name, options)
  try {
    return { command: GRAMMARS[name].read(words, options), json }
  } catch (error) {
    throw error instanceof Problem ? new UsageError(`${name}: ${error.message}`) : error
  }
}

const isCommand = (name: string): name is Command['name'] => Object.hasOwn(GRAMMARS, name)

function checkWords(command: Command['name'], words: string[]): void {
  const expected = GRAMMARS[command].words
  for (const [i, { name, oneOf }] of expected.entries()) {
    const word = words[i]
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

function checkOptions(command: Command['name'], options: Options): void {
  const { required, optional } = GRAMMARS[command]
  const missing = required.find((name) => options[name] === undefined)
  if (missing) throw new UsageError(`${command}: --${missing} is missing`)
  const allowed = [...required, ...optional]
  const extra = (Object.keys(options) as OptionName[]).find((name) => !allowed.includes(name))
  if (extra) throw new UsageError(`${command}: does not take --${extra}`)
}
