// Counts visible and hidden records.
import { type RawBuilder, sql } from 'kysely'
import { type Queryable, VISIBLE, VISIBLE_MESSAGE } from '../database/database.ts'

export interface RecordCount {
  visible: bigint
  hidden: bigint
}

/** Counts the records of each kind, as readers see them. A review is visible if its message is. */
export async function countRecords(
  db: Queryable,
): Promise<Record<'directories' | 'messages' | 'investigations' | 'reviews', RecordCount>> {
  const ownFlag = sql`visible = ${VISIBLE}`
  const reviews = sql`reviews inner join messages on messages.id = reviews.message_id`
  return {
    directories: await count(db, sql`directories`, ownFlag),
    messages: await count(db, sql`messages`, VISIBLE_MESSAGE),
    investigations: await count(db, sql`investigations`, ownFlag),
    reviews: await count(db, reviews, VISIBLE_MESSAGE),
  }
}

async function count(
  db: Queryable,
  records: RawBuilder<unknown>,
  isVisible: RawBuilder<unknown>,
): Promise<RecordCount> {
  const { rows } = await sql<{ total: bigint; visible: bigint }>`select
    (select count(*) from ${records}) as total,
    (select count(*) from ${records} where ${isVisible}) as visible`.execute(db)
  const { total = 0n, visible = 0n } = rows[0] ?? {}
  return { visible, hidden: total - visible }
}
