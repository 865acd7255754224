// Counts visible and hidden records.
import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../store/database.ts'

export interface RecordCount {
  visible: bigint
  hidden: bigint
}

/** Counts the records of each kind. A review is visible if its message is. */
export async function countRecords(
  db: Queryable,
): Promise<Record<'directories' | 'messages' | 'investigations' | 'reviews', RecordCount>> {
  return {
    directories: await count(db, sql`directories`),
    messages: await count(db, sql`messages`),
    investigations: await count(db, sql`investigations`),
    reviews: await count(db, sql`reviews inner join messages on messages.id = reviews.message_id`),
  }
}

async function count(db: Queryable, rows: RawBuilder<unknown>): Promise<RecordCount> {
  const of = async (visible: 0 | 1) => {
    const { rows: found } = await sql<{ total: bigint }>`
      select count(*) as total from ${rows} where visible = ${sql.lit(visible)}`.execute(db)
    return found[0]?.total ?? 0n
  }
  return { visible: await of(1), hidden: await of(0) }
}
