// Finds when the board began: its first day is the first that is archived (COMMANDS.md 2.2).
import { sql } from 'kysely'
import { DAY_MS } from '../../protocol/index.ts'
import { type Queryable, VISIBLE } from '../database/database.ts'

/**
 * Returns when the board began [ms since 1970]: its first heartbeat or record; null before there is one. A heartbeat before a
 * step of more than a day forwards does not count: it has the time of a machine that did not know the date yet. Each other
 * record belongs to a message; the first of each is the first entry of an index.
 */
export async function readBeginning(db: Queryable): Promise<number | null> {
  const { rows } = await sql<{ first: bigint | null }>`select min(first) as first from (
    select min(from_at) as first from liveness where to_at >= (
      select coalesce(max(actual_at), 0) from clock_steps
      where actual_at - expected_at > ${sql.lit(DAY_MS)})
    union all select min(created_at) from directories
    union all select min(publish_at) from messages where visible = ${VISIBLE}) as firsts`.execute(
    db,
  )
  const first = rows[0]?.first ?? null
  return first === null ? null : Number(first)
}
