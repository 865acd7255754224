// Checks that a SQLite file is ours, migrates it, and verifies its schema.
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'
import { appliedIn, isCurrent, migrateToLatest } from '../schema/version.ts'
import { openSqlite } from './driver.ts'
import { isBusy } from './errors.ts'

/** Identifies our files in SQLite's application_id: the bytes "Dsig". */
const APPLICATION_ID = 0x44736967

/**
 * Claims a new file, creates its tables, and rejects any other. Writes nothing to a file that is up to date, so that
 * opening it never waits for another process's transaction.
 * @throws Error with one clear line
 */
export async function bringUpToDate(db: Kysely<Schema>, path: string): Promise<void> {
  await claimFile(db, path)
  const applied = await appliedMigrations(db)
  if (!isCurrent(applied)) await migrate(db, path)
  await rejectAlteredSchema(db, path)
}

/**
 * Rejects a file that is not ours or not up to date. Never writes.
 * @throws Error with one clear line
 */
export async function requireUpToDate(db: Kysely<Schema>, path: string): Promise<void> {
  if (!(await isOurs(db))) throw otherProgram(path)
  await appliedMigrations(db)
  await rejectAlteredSchema(db, path)
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

/** Returns the names of the migrations that have run. @throws NewerSchema if this version does not know one */
async function appliedMigrations(db: Kysely<Schema>): Promise<string[]> {
  return (await schemaOf(db)).has('table kysely_migration') ? appliedIn(db) : []
}

async function migrate(db: Kysely<Schema>, path: string): Promise<void> {
  const error = await migrateToLatest(db)
  if (isBusy(error)) throw error
  if (error) throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`)
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

/** Made once per process: the migrations take longer than all the rest of opening a file. */
let expected: Promise<Map<string, string>> | undefined

async function newSchema(): Promise<Map<string, string>> {
  const model = openSqlite<Schema>(':memory:', true)
  try {
    const error = await migrateToLatest(model)
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
