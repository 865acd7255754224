// Gives each message a salt, which the hash of its leaf covers (FORMAT.md 20.2). Messages of earlier days keep none, since
// their days may be sealed already.
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Clock } from '../../../system.ts'
import { isSqlite } from '../../engine.ts'

const DAY_MS = 86_400_000

export const salts = {
  async up(db: Parameters<Migration['up']>[0], { now }: Pick<Clock, 'now'>) {
    await db.schema.alterTable('messages').addColumn('salt', 'text').execute()
    await db.schema
      .alterTable('erasures')
      .addColumn('is_salted', 'smallint', (c) =>
        c.notNull().defaultTo(0).check(sql`is_salted in (0, 1)`),
      )
      .execute()
    const latest = Math.max(now(), await latestTimeIn(db))
    const midnight = Math.floor(latest / DAY_MS) * DAY_MS
    await sql`update messages set salt = ${randomSalt(db)}
      where publish_at >= ${midnight} and id not in (select message_id from erasures)`.execute(db)
  },
}

/**
 * The latest time that the database knows [ms since 1970]: a clock that is behind must not change the leaves of days that
 * are sealed.
 */
async function latestTimeIn(db: Kysely<unknown>): Promise<number> {
  const { rows } = await sql<{ latest: bigint }>`select max(at) as latest from (
    select last as at from sequences where name = 'publish_at'
    union all select max(to_at) from liveness) as times`.execute(db)
  return Number(rows[0]?.latest ?? 0n)
}

/** 16 random bytes for each row, in hex. The first 12 digits of a UUID of version 4 are random. */
function randomSalt(db: Kysely<unknown>): RawBuilder<string> {
  if (isSqlite(db)) return sql`lower(hex(randomblob(16)))`
  const digits = sql`replace(cast(gen_random_uuid() as text), '-', '')`
  const twelve = sql`substr(${digits}, 1, 12)`
  return sql`${twelve} || ${twelve} || substr(${digits}, 1, 8)`
}
