// Reads the public record of moderation (API.md 8.4).
import { type ExpressionBuilder, sql } from 'kysely'
import type { Queryable } from '../database/database.ts'
import { readLog, readRanges } from '../database/records/action-log.ts'
import type { Schema } from '../database/schema/schema.ts'
import { instant } from '../wire/instant.ts'
import { cutPage, type PageRequest } from '../wire/page.ts'
import type { ActionRecord } from './api.ts'

type ActionRow = Awaited<ReturnType<typeof readLog>>[number]

/** Returns what the public may know of an action: no path of a directory, no reason that was given in confidence. */
function asAction(row: ActionRow): ActionRecord {
  const ranges = readRanges(row.ranges)
  return {
    id: row.id,
    action: row.act,
    target_kind: row.target_kind,
    target: targetOf(row),
    ranges: ranges.length === 0 ? null : ranges.map(([first, last]) => [first, last]),
    reason: row.is_public === 1n && row.reason !== '' ? row.reason : null,
    created_at: instant(row.at),
  }
}

function targetOf({ target_kind: kind, target }: ActionRow): bigint | string | null {
  if (kind === 'service') return target
  return kind === 'directory' || target === '' ? null : BigInt(target)
}

/** Returns actions after an id, oldest first, and the cursor of the next page. */
export async function listActions(db: Queryable, { after, limit }: PageRequest<bigint>) {
  const actions = (await readLog(db, after, limit)).map(asAction)
  return { actions, next_cursor: actions.at(-1)?.id ?? after }
}

/** A page of actions, newest first. */
export interface NewestActions {
  actions: ActionRecord[]
  hasMore: boolean
}

interface NewestRequest {
  /** Exclusive; undefined starts at the newest. */
  before: bigint | undefined
  limit: number
  /** Only actions that concern this message; undefined for all. */
  message: bigint | undefined
}

export async function newestActions(
  db: Queryable,
  { before, limit, message }: NewestRequest,
): Promise<NewestActions> {
  const concerning = message === undefined ? undefined : await concerningMessage(db, message)
  let query = db.selectFrom('moderation_log').selectAll().orderBy('id', 'desc')
  if (before !== undefined) query = query.where('id', '<', before)
  if (concerning) query = query.where(concerning)
  const { rows, hasMore } = cutPage(await query.limit(limit + 1).execute(), limit)
  return { actions: rows.map(asAction), hasMore }
}

/** Matches the actions on a message, its investigation and the directories above it. */
async function concerningMessage(db: Queryable, message: bigint) {
  const found = await db
    .selectFrom('messages')
    .innerJoin('directories', 'directories.id', 'messages.directory_id')
    .select(['path', 'investigation_id'])
    .where('messages.id', '=', message)
    .executeTakeFirst()
  const paths = found ? pathsTo(found.path) : []
  const onMany = await actionsOnMany(db, message)
  return (eb: ExpressionBuilder<Schema, 'moderation_log'>) =>
    eb.or([
      eb.and({ target_kind: 'message', target: String(message) }),
      eb.and({ target_kind: 'investigation', target: String(found?.investigation_id ?? '') }),
      eb.and([eb('target_kind', '=', 'directory'), eb('target', 'in', ['', ...paths])]),
      eb('id', 'in', [0n, ...onMany]),
    ])
}

/** Returns the ids of the actions on many messages of which this is one. There are few such actions. */
async function actionsOnMany(db: Queryable, message: bigint): Promise<bigint[]> {
  const rows = await db
    .selectFrom('moderation_log')
    .select(['id', 'ranges'])
    .where(sql<boolean>`ranges <> '[]'`)
    .execute()
  return rows
    .filter(({ ranges }) =>
      readRanges(ranges).some(([first, last]) => first <= message && message <= last),
    )
    .map(({ id }) => id)
}

/** `a/b/c` -> `a`, `a/b`, `a/b/c` */
const pathsTo = (path: string): string[] =>
  path.split('/').map((_, i, segments) => segments.slice(0, i + 1).join('/'))
