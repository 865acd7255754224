// Checks that a SQLite file is ours, migrates it, and verifies its schema.
import { type Kysely, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import type { Clock } from '../../system.ts'
import { MIGRATION_NAMES, migrationsAt } from '../schema/migrations.ts'
import type { Schema } from '../schema/schema.ts'
import { unknownIn } from '../schema/version.ts'
import { openSqlite } from './driver.ts'
import { isBusy } from './errors.ts'

type WallClock = Pick<Clock, 'now'>

/** Identifies our files in SQLite's application_id: the bytes "Dsig". */
const APPLICATION_ID = 0x44736967

/**
 * Claims a new file, migrates an older one, and rejects any other. Writes nothing to a file that is up to date, so that
 * opening it never waits for another process's transaction.
 * @throws Error with one clear line
 */
export async function bringUpToDate(db: Kysely<Schema>, path: string, clock: Clock): Promise<void> {
  await claimFile(db, path)
  if (await isOlder(db, path)) await migrate(db, path, clock)
  await rejectAlteredSchema(db, path)
}

/**
 * Rejects a file that is not ours or not up to date. Never writes.
 * @throws Error with one clear line
 */
export async function requireUpToDate(db: Kysely<Schema>, path: string): Promise<void> {
  if (!(await isOurs(db))) throw otherProgram(path)
  if (await isOlder(db, path))
    throw new Error(
      `${path}: written by an older Daysignal, and read-only here; copy it with its -wal to another folder`,
    )
  await rejectAlteredSchema(db, path)
}

/** Whether migrations are missing. @throws Error if there are unknown ones */
async function isOlder(db: Kysely<Schema>, path: string): Promise<boolean> {
  const applied = await appliedMigrations(db)
  const unknown = unknownIn(applied)
  if (unknown)
    throw new Error(`${path}: written by a newer Daysignal (it has ${unknown}); update first`)
  return applied.length < MIGRATION_NAMES.length
}

/**
 * Marks an empty file as ours before anything else is in it, so that an interrupted or concurrent start never finds
 * tables without our id.
 */
async function claimFile(db: Kysely<Schema>, path: string): Promise<void> {
  const isEmpty = (await schemaOf(db)).size === 0
  if (await isOurs(db)) return
  if (!isEmpty) throw otherProgram(path)
  await sql`pragma application_id = ${sql.lit(APPLICATION_ID)}`.execute(db)
}

async function isOurs(db: Kysely<Schema>): Promise<boolean> {
  const { rows: ids } = await sql<{ application_id: bigint }>`pragma application_id`.execute(db)
  return ids[0]?.application_id === BigInt(APPLICATION_ID)
}

const otherProgram = (path: string): Error =>
  new Error(`${path}: a database of another program; set DATA_DIR to another folder`)

async function appliedMigrations(db: Kysely<Schema>): Promise<string[]> {
  if (!(await schemaOf(db)).has('table kysely_migration')) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return rows.map((row) => row.name)
}

async function migrate(db: Kysely<Schema>, path: string, clock: Clock): Promise<void> {
  const error = await migrateToLatest(db, clock)
  if (isBusy(error)) throw error
  if (error) throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`)
}

/** A migration may replace a table that others reference, which SQLite allows only with foreign keys off. */
async function migrateToLatest(db: Kysely<Schema>, clock: WallClock): Promise<unknown> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrationsAt(clock) },
  })
  await sql`pragma foreign_keys = off`.execute(db)
  try {
    return (await migrator.migrateToLatest()).error
  } finally {
    await sql`pragma foreign_keys = on`.execute(db)
  }
}

/** Compares the file's schema with that of a new database in memory. */
async function rejectAlteredSchema(db: Kysely<Schema>, path: string): Promise<void> {
  expected ??= newSchema()
  const actual = await schemaOf(db)
  for (const [name, text] of await expected)
    if (actual.get(name) !== text)
      throw new Error(
        `${path}: wrong schema: ${name} is ${actual.has(name) ? 'altered' : 'missing'}`,
      )
}

/** A new database has no message for which the time matters. */
const ANY_TIME: WallClock = { now: () => 0 }

/** Made once per process: the migrations take longer than all the rest of opening a file. */
let expected: Promise<Map<string, string>> | undefined

async function newSchema(): Promise<Map<string, string>> {
  const model = openSqlite<Schema>(':memory:', true)
  try {
    const error = await migrateToLatest(model, ANY_TIME)
    if (error) throw error
    return await schemaOf(model)
  } finally {
    await model.destroy()
  }
}

/** Maps names such as "table messages" to their CREATE statements. */
async function schemaOf(db: Kysely<Schema>): Promise<Map<string, string>> {
  const { rows } = await sql<{ type: string; name: string; sql: string | null }>`
    select type, name, sql from sqlite_schema where name not like 'sqlite_%'`.execute(db)
  return new Map(rows.map((row) => [`${row.type} ${row.name}`, row.sql ?? '']))
}
