// Hides and shows many messages as one action, which the record of moderation lists with their ids (API.md 8.5).
import { sql } from 'kysely'
import { MAX_ID } from '../../archive/format/scalars.ts'
import type { Database, Queryable, Transaction } from '../database/database.ts'
import {
  type IdRange,
  isWithin,
  logAction,
  rangesIn,
  readRanges,
  writeRanges,
} from '../database/records/action-log.ts'
import { Problem } from '../wire/problem.ts'
import { refreshMessages } from './queries.ts'

/** Messages that a statement names. */
const GROUP = 500
/** So that a line of the record stays below 256 KiB [characters]. */
const MAX_RANGES_LENGTH = 240 * 1024

/** Which messages to hide or show; a message must meet every condition that is given. */
export interface BulkSelection {
  /** Inclusive. */
  from?: bigint | undefined
  to?: bigint | undefined
  /** A part of their text, byte for byte. */
  containing?: string | undefined
  /** Only messages of this action on many. */
  action?: bigint | undefined
}

export interface BulkModeration {
  act: 'hide' | 'show'
  /** Public. */
  reason: string
  selection: BulkSelection
}

/** The messages that `--dry-run` lists. */
const FIRST = 10

export type Preview = Awaited<ReturnType<typeof previewBulk>>

/**
 * Finds the messages of a selection that are not in the wanted state yet. Erased ones are never shown.
 * @throws Problem not_found for an action that is not one on many messages; invalid_request when there are too many
 *   separate ids
 */
export async function previewBulk(db: Queryable, moderation: Omit<BulkModeration, 'reason'>) {
  const ids = await idsOf(db, moderation)
  requireFewRanges(ids)
  const first = await db
    .selectFrom('messages')
    .innerJoin('directories', 'directories.id', 'messages.directory_id')
    .select(['messages.id', 'directories.path as directory', 'messages.body'])
    .where('messages.id', 'in', [0n, ...ids.slice(0, FIRST)])
    .orderBy('messages.id')
    .execute()
  return { ids, first }
}

async function idsOf(
  db: Queryable,
  { act, selection }: Omit<BulkModeration, 'reason'>,
): Promise<bigint[]> {
  const { from = 1n, to = MAX_ID, containing, action } = selection
  const among = action === undefined ? undefined : await rangesOf(db, action)
  const conditions = [sql`id between ${from} and ${to}`, changeable(act)]
  // Byte for byte on both engines, as `like` is not.
  if (containing !== undefined) conditions.push(sql`replace(body, ${containing}, '') <> body`)
  const { rows } = await sql<{ id: bigint }>`
    select id from messages where ${sql.join(conditions, sql` and `)} order by id`.execute(db)
  const ids = rows.map(({ id }) => id)
  return among === undefined ? ids : ids.filter((id) => isWithin(among, id))
}

/** Matches the messages that an action changes. */
const changeable = (act: BulkModeration['act']) =>
  act === 'hide' ? sql`hidden = 0` : sql`hidden = 1 and id not in (select message_id from erasures)`

/** @throws Problem not_found */
async function rangesOf(db: Queryable, action: bigint): Promise<IdRange[]> {
  const row = await db
    .selectFrom('moderation_log')
    .select('ranges')
    .where('id', '=', action)
    .executeTakeFirst()
  const ranges = readRanges(row?.ranges ?? '')
  if (ranges.length === 0)
    throw new Problem('not_found', `there is no action ${action} on many messages`)
  return ranges
}

function requireFewRanges(ids: readonly bigint[]): IdRange[] {
  const ranges = rangesIn(ids)
  if (writeRanges(ranges).length > MAX_RANGES_LENGTH)
    throw new Problem(
      'invalid_request',
      `${ids.length} messages in ${ranges.length} ranges are too many for one action; narrow them with --from and --to`,
    )
  return ranges
}

/**
 * Hides or shows the messages of a selection in one transaction. Nothing is logged if none of them changes.
 * @param now returns the wall time [ms since 1970]; called once the write lock is held
 * @returns the changed messages
 * @throws Problem as `previewBulk`
 */
export async function moderateMany(
  database: Database,
  { act, reason, selection }: BulkModeration,
  now: () => number,
): Promise<IdRange[]> {
  // Searching texts takes long, so it is done before the write lock is taken.
  const { ids } = await previewBulk(database.db, { act, selection })
  return database.write(async (tx) => {
    const changed: bigint[] = []
    for (let from = 0; from < ids.length; from += GROUP)
      changed.push(...(await change(tx, act, ids.slice(from, from + GROUP))))
    if (changed.length === 0) return []
    const ranges = requireFewRanges(changed)
    await logAction(tx, { act, target_kind: 'message', target: '', reason, ranges }, now())
    return ranges
  })
}

/** @returns the changed messages, ascending */
async function change(
  tx: Transaction,
  act: BulkModeration['act'],
  ids: readonly bigint[],
): Promise<bigint[]> {
  const rows = await tx
    .updateTable('messages')
    .set({ hidden: act === 'hide' ? 1 : 0 })
    .where('id', 'in', ids)
    .where(sql<boolean>`${changeable(act)}`)
    .returning('id')
    .execute()
  const changed = rows.map(({ id }) => id).sort((a, b) => (a < b ? -1 : 1))
  if (changed.length > 0) await refreshMessages(tx, changed)
  return changed
}
