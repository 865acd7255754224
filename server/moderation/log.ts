// The append-only log of operators' acts: a row is added in the transaction of the act itself.
import type { Transaction } from 'kysely'
import { nextId, type Queryable } from '../store/database.ts'
import type { Schema } from '../store/schema.ts'

export interface Act {
  act: Schema['moderation_log']['act']
  target_kind: Schema['moderation_log']['target_kind']
  target: string
  reason: string
}

/** @param now ms since 1970 */
export async function logAct(tx: Transaction<Schema>, act: Act, now: number): Promise<void> {
  const id = await nextId(tx, 'moderation')
  await tx
    .insertInto('moderation_log')
    .values({ id, at: now, ...act })
    .execute()
}

/** The acts after an id, oldest first. */
export async function readLog(db: Queryable, after: bigint, limit: number) {
  return db
    .selectFrom('moderation_log')
    .selectAll()
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
}
