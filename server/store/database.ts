// The store: what every feature knows of the database. The engine stays behind this file.
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql, type Transaction } from 'kysely'
import { Migrator } from 'kysely/migration'
import { migrations } from './migrations.ts'
import type { Schema, SequenceName } from './schema.ts'
import { isBusy, isEngineFailure, isNotADatabase, openSqlite, openSqliteReader } from './sqlite.ts'

/** Marks our files, in SQLite's application_id: the bytes "Dsig". */
const APPLICATION_ID = 0x44736967

/** How long a write waits for another process's transaction before the client hears of it. */
const WRITE_PATIENCE_MS = 5_000
const WRITE_RETRY_MS = 5

/** A connection or a transaction: what a query function needs. */
export type Queryable = Kysely<Schema> | Transaction<Schema>

/** The thin contract between features and engine. */
export interface Store {
  /** For reads of one statement; it writes nothing. */
  readonly db: Kysely<Schema>
  /** Several reads of one moment. */
  read<T>(work: (tx: Transaction<Schema>) => Promise<T>): Promise<T>
  /**
   * One durable transaction that holds the write lock from its start; rolled back when `work` throws.
   * `work` awaits nothing but queries.
   * @throws StoreUnavailable when the engine cannot take it now
   */
  write<T>(work: (tx: Transaction<Schema>) => Promise<T>): Promise<T>
  /** Whether the database answers a read. */
  isReadable(): Promise<boolean>
  close(): Promise<void>
}

/** The database cannot answer now: locked too long, disk full, file gone. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

/** In `where` clauses: a literal, since SQLite matches partial indexes against literals only. */
export const VISIBLE = sql<bigint>`1`

/**
 * Takes the next id of a sequence. The row stays locked until the transaction ends, so that ids
 * become visible in ascending order on every engine (decisions.md 4.5).
 */
export async function nextId(tx: Transaction<Schema>, name: SequenceName): Promise<bigint> {
  const { last } = await tx
    .updateTable('sequences')
    .set((eb) => ({ last: eb('last', '+', 1n) }))
    .where('name', '=', name)
    .returning('last')
    .executeTakeFirstOrThrow()
  return last
}

/**
 * Opens the database file and brings its schema up to date.
 * @param path the SQLite file
 * @param options.create make the file (and its folder) when it is missing
 * @throws Error with one clear line: missing, not ours, damaged, or made by a newer version
 */
export async function openStore(path: string, options: { create: boolean }): Promise<Store> {
  if (options.create) makeFolders(dirname(path))
  const writer = await withPatience(() => openUpToDate(path, options.create))
  const reader = openSqliteReader<Schema>(path)
  const inTurn = takingTurns()
  return {
    db: reader,
    read: (work) =>
      reader.transaction().setAccessMode('read only').execute(work).catch(asUnavailable),
    write: (work) => inTurn(() => writer.transaction().execute(work)),
    isReadable: () =>
      sql`select 1 from settings`.execute(reader).then(
        () => true,
        () => false,
      ),
    close: async () => {
      await reader.destroy()
      await writer.destroy()
    },
  }
}

/**
 * One writer of this process at a time, in the order in which they came, so that only the first
 * meets another process's lock. Each has its patience from the moment it came; while the lock is
 * free, nobody runs out of it.
 */
function takingTurns(): <T>(attempt: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (attempt) => {
    const deadline = performance.now() + WRITE_PATIENCE_MS
    const turn = last.then(() => withPatience(attempt, deadline))
    last = turn.catch(() => {})
    return turn
  }
}

/** Unlike mkdir's own recursion, this one ends where a file system makes no folders at all. */
function makeFolders(path: string): void {
  if (existsSync(path)) return
  makeFolders(dirname(path))
  mkdirSync(path)
}

async function openUpToDate(path: string, create: boolean): Promise<Kysely<Schema>> {
  let db: Kysely<Schema>
  try {
    db = openSqlite<Schema>(path, create)
  } catch (error) {
    throw openingProblem(error, path)
  }
  try {
    await bringUpToDate(db, path)
    return db
  } catch (error) {
    await db.destroy()
    throw openingProblem(error, path)
  }
}

/** One clear line that names the file; a lock is left as it is, since waiting cures it. */
function openingProblem(error: unknown, path: string): unknown {
  if (isBusy(error)) return error
  if (isNotADatabase(error)) return new Error(`${path}: not a SQLite database`)
  return isEngineFailure(error) ? new Error(`${path}: ${error.message}`, { cause: error }) : error
}

async function withPatience<T>(
  attempt: () => Promise<T>,
  deadline = performance.now() + WRITE_PATIENCE_MS,
): Promise<T> {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) return asUnavailable(error)
      await sleep(WRITE_RETRY_MS)
    }
  }
}

function asUnavailable(error: unknown): never {
  throw isEngineFailure(error) ? new StoreUnavailable(error.message, { cause: error }) : error
}

/** Whether another process holds the lock that a statement needed: it will pass. */
export const isLocked = isBusy

/** Whether the store could not answer, rather than the query being wrong. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof StoreUnavailable || isEngineFailure(error)

/** Writes nothing to a file that is up to date, so that opening it never waits for another's transaction. */
async function bringUpToDate(db: Kysely<Schema>, path: string): Promise<void> {
  await claimFile(db, path)
  const applied = await appliedMigrations(db)
  const unknown = applied.find((name) => !(name in migrations))
  if (unknown)
    throw new Error(`${path}: written by a newer Daysignal (it has ${unknown}); update first`)
  if (applied.length < Object.keys(migrations).length) await migrate(db, path)
  await refuseAlteredSchema(db, path)
}

/**
 * Marks an empty file as ours, before anything else is in it: neither a start that is killed half-way nor
 * another one at the same time then meets tables of nobody.
 */
async function claimFile(db: Kysely<Schema>, path: string): Promise<void> {
  const isEmpty = (await schemaOf(db)).size === 0
  const { rows: ids } = await sql<{ application_id: bigint }>`pragma application_id`.execute(db)
  if (ids[0]?.application_id === BigInt(APPLICATION_ID)) return
  if (!isEmpty)
    throw new Error(`${path}: a database of another program; set DATA_DIR to another folder`)
  await sql`pragma application_id = ${sql.lit(APPLICATION_ID)}`.execute(db)
}

async function appliedMigrations(db: Kysely<Schema>): Promise<string[]> {
  if (!(await schemaOf(db)).has('table kysely_migration')) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return rows.map((row) => row.name)
}

async function migrate(db: Kysely<Schema>, path: string): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error } = await migrator.migrateToLatest()
  if (isBusy(error)) throw error
  if (error) throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`)
}

/** Compares the file's schema with that of a database made just now in memory. */
async function refuseAlteredSchema(db: Kysely<Schema>, path: string): Promise<void> {
  const model = openSqlite<Schema>(':memory:', true)
  try {
    await new Migrator({
      db: model,
      provider: { getMigrations: async () => migrations },
    }).migrateToLatest()
    const [expected, actual] = [await schemaOf(model), await schemaOf(db)]
    for (const [name, text] of expected)
      if (actual.get(name) !== text)
        throw new Error(
          `${path}: wrong schema: ${name} is ${actual.has(name) ? 'altered' : 'missing'}`,
        )
  } finally {
    await model.destroy()
  }
}

/** "table messages" -> its CREATE statement. */
async function schemaOf(db: Kysely<Schema>): Promise<Map<string, string>> {
  const { rows } = await sql<{ type: string; name: string; sql: string | null }>`
    select type, name, sql from sqlite_schema where name not like 'sqlite_%'`.execute(db)
  return new Map(rows.map((row) => [`${row.type} ${row.name}`, row.sql ?? '']))
}
