// Finds when the board began: its first day is the first that is archived (COMMANDS.md 2.2).
import { sql } from 'kysely'
import { DAY_MS } from '../../protocol/index.ts'
import { type Queryable, VISIBLE } from '../database/database.ts'

/** Returns when the board began [ms since 1970]: its first heartbeat or record; null before there is one. */
export async function readBeginning(db: Queryable): Promise<number | null> {
  const [heartbeat, record] = [await readFirstHeartbeatAt(db), await readFirstRecordAt(db)]
  if (heartbeat === null || record === null) return heartbeat ?? record
  return Math.min(heartbeat, record)
}

/**
 * Returns the start of the first heartbeat. One before a step of more than a day forwards does not count: it has the
 * time of a machine that did not know the date yet.
 */
async function readFirstHeartbeatAt(db: Queryable): Promise<number | null> {
  const { first } = await db
    .selectFrom('liveness')
    .select((eb) => eb.fn.min<bigint | null>('from_at').as('first'))
    .where('to_at', '>=', (eb) =>
      eb
        .selectFrom('clock_steps')
        .select(sql<bigint>`coalesce(max(actual_at), 0)`.as('corrected'))
        .where(sql<boolean>`actual_at - expected_at > ${sql.lit(DAY_MS)}`),
    )
    .executeTakeFirstOrThrow()
  return first === null ? null : Number(first)
}

async function readFirstRecordAt(db: Queryable): Promise<number | null> {
  // These suffice, since every other record belongs to a message. Each is the first entry of an index.
  const directories = await db
    .selectFrom('directories')
    .select((eb) => eb.fn.min<bigint | null>('created_at').as('first'))
    .executeTakeFirstOrThrow()
  const messages = await db
    .selectFrom('messages')
    .select((eb) => eb.fn.min<bigint | null>('publish_at').as('first'))
    .where('visible', '=', VISIBLE)
    .executeTakeFirstOrThrow()
  const firsts = [directories.first, messages.first].filter((at) => at !== null).map(Number)
  return firsts.length === 0 ? null : Math.min(...firsts)
}
