// npm run operator -- hide messages, show messages: one action on many messages (API.md 8.5).
import type { Values } from '../../archive/base/command-line.ts'
import { UsageError } from '../../archive/base/terminal.ts'
import { table } from '../../archive/base/terminal-text.ts'
import { type IdRange, rangesIn } from '../database/records/action-log.ts'
import {
  type BulkModeration,
  type BulkSelection,
  moderateMany,
  type Preview,
  previewBulk,
} from '../moderation/bulk.ts'
import { readId } from '../wire/query.ts'
import { type Action, type CommandResult, reading, type Style, writing } from './command.ts'

/** The options that select messages; a single record takes none of them. */
export const SELECTING = {
  from: { takes: 'ID' },
  to: { takes: 'ID' },
  containing: { takes: 'TEXT' },
  action: { takes: 'ID' },
  'dry-run': {},
} as const

export type Selecting = Values<typeof SELECTING>

/** @throws UsageError unless the messages are named; Problem for an invalid id */
export function bulkAction(
  act: BulkModeration['act'],
  { 'dry-run': dryRun, ...given }: Selecting,
  reason: string,
): Action {
  const selection = readSelection(given)
  const request = { act, reason, selection }
  if (dryRun)
    return reading(async (database, { heading }) =>
      previewOutput(request, await previewBulk(database.db, request), heading),
    )
  return writing(async (database, { clock }) =>
    outputOf(request, await moderateMany(database, request, clock.now)),
  )
}

function readSelection({
  from,
  to,
  containing,
  action,
}: Omit<Selecting, 'dry-run'>): BulkSelection {
  const isRange = from !== undefined && to !== undefined
  if (!isRange && containing === undefined && action === undefined)
    throw new UsageError('name the messages by --from ID --to ID, --containing TEXT or --action ID')
  const selection = {
    ...(from !== undefined && { from: readId(from, 'from') }),
    ...(to !== undefined && { to: readId(to, 'to') }),
    ...(containing !== undefined && { containing }),
    ...(action !== undefined && { action: readId(action, 'action') }),
  }
  if (selection.from && selection.to && selection.from > selection.to)
    throw new UsageError('--from must not be greater than --to')
  return selection
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

function previewOutput(
  { act, reason }: BulkModeration,
  { ids, first }: Preview,
  heading: Style,
): CommandResult {
  const ranges = rangesIn(ids)
  const cells = first.map(({ id, directory, body }) => [String(id), directory, beginningOf(body)])
  const would = `${messages(ids.length)} would be ${act === 'hide' ? 'hidden' : 'shown'}`
  const counts = { ranges, count: BigInt(ids.length), reason, changed: false }
  return {
    json: { act, target_kind: 'message', ...counts, dry_run: true, first },
    text:
      cells.length === 0
        ? would
        : `${would}; the first:\n${table([['id', 'directory', 'text'], ...cells], heading)}`,
  }
}

/** The beginning of a text in one line. */
const beginningOf = (body: string): string =>
  Array.from(body.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim())
    .slice(0, 60)
    .join('')
