// operator hide and show: change whether readers see records and everything that belongs to them, one at a time or many
// messages (API.md 8.1, 8.5).
import type { Values } from '../../../archive/base/command-line.ts'
import { UsageError } from '../../../archive/base/terminal.ts'
import { headedTable } from '../../../archive/base/terminal-text.ts'
import { type IdRange, rangesIn } from '../../database/records/action-log.ts'
import {
  type BulkModeration,
  type BulkSelection,
  moderateMany,
  type Preview,
  previewBulk,
} from '../../moderation/bulk.ts'
import { nameOf, parseTarget, type Target } from '../../moderation/rules.ts'
import { moderateInSlices } from '../../moderation/sweeps.ts'
import { RECORD_KINDS } from '../../wire/problem.ts'
import { readId } from '../../wire/query.ts'
import {
  type Action,
  type Command,
  type CommandResult,
  defineCommand,
  REASON,
  reading,
  readReason,
  writing,
} from '../command.ts'

/** The options that select messages; a single record takes none of them. */
const SELECTING = {
  from: { takes: 'ID' },
  to: { takes: 'ID' },
  containing: { takes: 'TEXT' },
  action: { takes: 'ID' },
  'dry-run': {},
} as const

type Selecting = Values<typeof SELECTING>

type Act = 'hide' | 'show'

const moderation = (act: Act, summary: string, ofMany: string): Command =>
  defineCommand({
    name: act,
    help: {
      [`${act} message|investigation ID --reason R\n${act} directory PATH --reason R`]: summary,
      [[
        `${act} messages --from ID --to ID --reason R [--dry-run]`,
        `${act} messages --containing TEXT --reason R [--dry-run]`,
        ...(act === 'show' ? ['show messages --action ID --reason R [--dry-run]'] : []),
      ].join('\n')]: ofMany,
    },
    words: [
      { name: 'kind of record', oneOf: [...RECORD_KINDS, 'messages'] },
      { name: 'ID', isOptional: true },
    ],
    options: { ...REASON, ...SELECTING },
    prepare([word = '', id], { reason: given, ...selecting }) {
      const reason = readReason(given)
      if (word === 'messages') return ofMessages(act, id, selecting, reason)
      const option = Object.entries(selecting).find(
        ([, value]) => value !== undefined && value !== false,
      )?.[0]
      if (option) throw new UsageError(`--${option} is for messages, not ${word}`)
      if (id === undefined) throw new UsageError('the ID is missing')
      const kind = RECORD_KINDS.find((kind) => kind === word)
      return ofOne(act, parseTarget(kind ?? 'message', id), reason)
    },
  })

const ofOne = (act: Act, target: Target, reason: string): Action =>
  writing(async (database, { clock }) => {
    const request = { act, reason, ...target }
    const { changed, visible } = await moderateInSlices(database, request, clock.now)
    const name = nameOf(target)
    const hidden = act === 'hide'
    const already = changed ? '' : 'already '
    const still = !hidden && !visible ? '; what it belongs to is still hidden' : ''
    return {
      json: { act, target_kind: target.kind, target: name, hidden, visible, reason, changed },
      text: `${target.kind} ${name} is ${already}${hidden ? 'hidden' : 'shown'}${still}`,
    }
  })

export const hide = moderation(
  'hide',
  'hides a record and everything that belongs to it; put a PATH that begins with - last, after --',
  'hides all these messages as one action; with --dry-run it only counts them and prints the first ten',
)

export const show = moderation(
  'show',
  'shows again what was hidden',
  'likewise shows messages that were hidden themselves; --action takes back an action on many',
)

/** @throws UsageError unless the messages are named; Problem for an invalid id */
function ofMessages(
  act: Act,
  id: string | undefined,
  { 'dry-run': dryRun, ...given }: Selecting,
  reason: string,
): Action {
  if (id !== undefined) throw new UsageError(`unexpected argument ${JSON.stringify(id)}`)
  const request = { act, reason, selection: readSelection(given) }
  if (dryRun)
    return reading(async (database) =>
      previewOutput(request, await previewBulk(database.db, request)),
    )
  return writing(async (database, { clock }) =>
    outputOf(request, await moderateMany(database, request, clock.now)),
  )
}

function readSelection(given: Omit<Selecting, 'dry-run'>): BulkSelection {
  const { containing } = given
  const idIn = (name: 'from' | 'to' | 'action') =>
    given[name] === undefined ? undefined : readId(given[name], name)
  const [from, to, action] = [idIn('from'), idIn('to'), idIn('action')]
  if ((!from || !to) && containing === undefined && !action)
    throw new UsageError('name the messages by --from ID --to ID, --containing TEXT or --action ID')
  if (from && to && from > to) throw new UsageError('--from must not be greater than --to')
  return { from, to, containing, action }
}

const countIn = (ranges: readonly IdRange[]): bigint =>
  ranges.reduce((sum, [first, last]) => sum + last - first + 1n, 0n)

const messages = (count: bigint | number): string =>
  `${count} ${Number(count) === 1 ? 'message' : 'messages'}`

function outputOf({ act, reason }: BulkModeration, ranges: readonly IdRange[]): CommandResult {
  const count = countIn(ranges)
  const done = act === 'hide' ? 'hidden' : 'shown'
  return {
    json: { act, target_kind: 'message', ranges, count, reason, changed: count > 0n },
    text: count === 0n ? `no message is left to be ${done}` : `${messages(count)} ${done}`,
  }
}

function previewOutput({ act, reason }: BulkModeration, { ids, first }: Preview): CommandResult {
  const ranges = rangesIn(ids)
  const cells = first.map(({ id, directory, body }) => [String(id), directory, beginningOf(body)])
  const would = `${messages(ids.length)} would be ${act === 'hide' ? 'hidden' : 'shown'}`
  const counts = { ranges, count: BigInt(ids.length), reason, changed: false }
  return {
    json: { act, target_kind: 'message', ...counts, dry_run: true, first },
    text:
      cells.length === 0
        ? would
        : `${would}; the first:\n${headedTable([['id', 'directory', 'text'], ...cells])}`,
  }
}

/** The beginning of a text in one line. */
const beginningOf = (body: string): string =>
  Array.from(body.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim())
    .slice(0, 60)
    .join('')
