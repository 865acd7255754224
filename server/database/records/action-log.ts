// The append-only log of operator actions. Each row is written in the transaction of the action itself.
import type { Transaction } from 'kysely'
import type { Queryable } from '../database.ts'
import type { Schema } from '../schema/schema.ts'
import { nextId } from './sequences.ts'

export interface Action {
  act: Schema['moderation_log']['act']
  target_kind: Schema['moderation_log']['target_kind']
  target: string
  reason: string
}

/** @param now [ms since 1970] @returns the id of the action */
export async function logAction(
  tx: Transaction<Schema>,
  action: Action,
  now: number,
): Promise<bigint> {
  const id = await nextId(tx, 'moderation')
  await tx
    .insertInto('moderation_log')
    .values({ id, at: now, ...action })
    .execute()
  return id
}

/** Returns the actions after an id, oldest first. */
export async function readLog(db: Queryable, after: bigint, limit: number) {
  return db
    .selectFrom('moderation_log')
    .selectAll()
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Returns the newest action of a kind; null if there is none. */
export async function newestAction(db: Queryable, act: Action['act']) {
  const row = await db
    .selectFrom('moderation_log')
    .select(['at', 'target', 'reason'])
    .where('act', '=', act)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}
