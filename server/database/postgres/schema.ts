// Checks that a PostgreSQL database is ours, and migrates it.
import { type Kysely, sql } from 'kysely'
import { type Clock, retried } from '../../system/system.ts'
import type { Schema } from '../schema/schema.ts'
import { appliedIn, isCurrent, migrateToLatest } from '../schema/version.ts'
import { WRITER_LOCK } from './dialect.ts'
import { isTransient } from './errors.ts'

/**
 * How long a migration waits for the readers of a table. One of them may wait for a table that the migration has locked; after
 * its `deadlock_timeout`, 1 s by default, PostgreSQL would end the reader [ms].
 */
const LOCK_TIMEOUT_MS = 200
const RETRY_MS = 100
/** How long migrations are attempted [ms]. */
const TIMEOUT_MS = 30_000

/** Errors of concurrent first starts: unique violation, duplicate table, duplicate type. */
const ALREADY_EXISTS = ['23505', '42P07', '42710']

/**
 * Claims an empty database, creates its tables, and rejects any other. Writes nothing to one that is up to date.
 * @throws Error with one clear line
 */
export async function bringUpToDate(
  db: Kysely<Schema>,
  { create, clock }: { create: boolean; clock: Clock },
): Promise<void> {
  const tables = await tablesOf(db)
  const applied = tables.has('kysely_migration') ? await appliedIn(db) : []
  if (applied.length === 0) {
    if (!create) throw new Error('no Daysignal database here; start the server once')
    if (tables.has('directories') || tables.has('messages') || tables.has('settings'))
      throw new Error('a database of another program; use an empty one')
  }
  if (!isCurrent(applied)) await migrate(db, clock)
}

async function tablesOf(db: Kysely<Schema>): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`select table_name as name
    from information_schema.tables where table_schema = current_schema()`.execute(db)
  return new Set(rows.map((row) => row.name))
}

/** Migrates; as often as it takes, since readers of an older version go first. */
async function migrate(db: Kysely<Schema>, clock: Clock): Promise<void> {
  await createLeases(db).catch((error) => {
    if (!ALREADY_EXISTS.includes(error.code)) throw error
    return createLeases(db)
  })
  const deadline = clock.monotonic() + TIMEOUT_MS
  await retried(() => migrateOnce(db), isTransient, { clock, deadline, pauseMs: RETRY_MS })
}

/**
 * Migrates in one transaction. It locks a row, so that a server that starts meanwhile waits, as long as a statement may take, and
 * finds nothing to do, and the row of the writers, so that no writer of an older version meets a schema that changes under it.
 */
async function migrateOnce(db: Kysely<Schema>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`set local lock_timeout = 0`.execute(tx)
    await sql`select name from leases where name = 'migrations' for update`.execute(tx)
    if ((await tablesOf(tx)).has('sequences')) await sql.raw(WRITER_LOCK).execute(tx)
    await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`.execute(tx)
    await sql`create table if not exists commits (
      id uuid primary key, number bigint not null unique, at timestamptz not null default now())`.execute(
      tx,
    )
    const error = await migrateToLatest(tx)
    if (error) throw error
  })
}

/** Creates the table of locks between processes; `fence` counts how often each was taken. */
async function createLeases(db: Kysely<Schema>): Promise<void> {
  await sql`create table if not exists leases (
    name text primary key, fence bigint not null, ends_at timestamptz not null)`.execute(db)
  await sql`insert into leases (name, fence, ends_at) values ('migrations', 0, now())
    on conflict (name) do nothing`.execute(db)
}
