// node:sqlite behind kysely: one durable connection to one file.
import { existsSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
  type TransactionSettings,
} from 'kysely'

/** Prepared statements kept per connection; far more than the service has queries. */
const STATEMENTS = 500

/**
 * How long one statement may block this process for another's lock. Writers wait in the store,
 * asynchronously; in WAL mode a reader meets a lock only while the file is being opened or recovered.
 */
const BUSY_TIMEOUT_MS = { write: 0, read: 100 }

function asKyselyDatabase(db: DatabaseSync): SqliteDatabase {
  const cache = new Map<string, SqliteStatement>()
  const prepare = (text: string): SqliteStatement => {
    const statement = db.prepare(text)
    statement.setReadBigInts(true)
    const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[]
    return {
      reader: statement.columns().length > 0,
      all: (parameters) => statement.all(...values(parameters)),
      run: (parameters) => statement.run(...values(parameters)),
      iterate: (parameters) => statement.iterate(...values(parameters)),
    }
  }
  return {
    close: () => db.close(),
    prepare(text) {
      const known = cache.get(text)
      if (known) return known
      const statement = prepare(text)
      cache.set(text, statement)
      if (cache.size > STATEMENTS) cache.delete(cache.keys().next().value as string)
      return statement
    },
  }
}

/**
 * A transaction that means to write takes the write lock at its start: a deferred one would read
 * first, and fail when another process wrote in between.
 */
class ImmediateDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection, settings?: TransactionSettings) {
    const begin = settings?.accessMode === 'read only' ? 'begin' : 'begin immediate'
    await connection.executeQuery(CompiledQuery.raw(begin))
  }

  /** On a full disk and the like SQLite has rolled back by itself; the first error is the one to hear of. */
  override async rollbackTransaction(connection: DatabaseConnection) {
    await super.rollbackTransaction(connection).catch((error: Error) => {
      if (!error.message.includes('no transaction is active')) throw error
    })
  }
}

/** Kysely takes SQLite to run DDL outside of transactions; it does not have to, and a migration must be whole. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true
  }
}

/**
 * Opens a database file, in WAL mode, each commit on disk before it is acknowledged.
 * @param create whether a missing file may be made
 * @throws Error with one clear line when the file is missing
 */
export function openSqlite<S>(path: string, create: boolean): Kysely<S> {
  if (!create && path !== ':memory:' && !existsSync(path))
    throw new Error(`${path}: no database here; start the server once, or set DATA_DIR`)
  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS.write })
  try {
    db.exec('pragma foreign_keys = on; pragma journal_mode = wal; pragma synchronous = full')
  } catch (error) {
    db.close()
    throw error
  }
  return asKysely(db)
}

/** A second connection to an open database file, for reads: they never wait for a transaction that writes. */
export const openSqliteReader = <S>(path: string): Kysely<S> =>
  asKysely(new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS.read }))

function asKysely<S>(db: DatabaseSync): Kysely<S> {
  const config = { database: asKyselyDatabase(db) }
  const dialect = new SqliteDialect(config)
  dialect.createDriver = () => new ImmediateDriver(config)
  dialect.createAdapter = () => new TransactionalAdapter()
  return new Kysely<S>({ dialect })
}

/** SQLite's primary result codes that callers tell apart. */
const SQLITE_BUSY = 5
const SQLITE_NOTADB = 26
/** Busy, locked, no memory, read-only, i/o error, corrupt, disk full, cannot open, not a database. */
const ENGINE_FAILURES = [SQLITE_BUSY, 6, 7, 8, 10, 11, 13, 14, SQLITE_NOTADB]

/** Whether another process holds the lock that a statement needed. */
export const isBusy = (error: unknown): boolean => resultCode(error) === SQLITE_BUSY

/** Whether the file is something else than a SQLite database. */
export const isNotADatabase = (error: unknown): boolean => resultCode(error) === SQLITE_NOTADB

/** Whether the engine itself failed: nothing that another query would cure. */
export const isEngineFailure = (error: unknown): error is Error =>
  ENGINE_FAILURES.includes(resultCode(error) ?? 0)

function resultCode(error: unknown): number | undefined {
  const extended = (error as { errcode?: unknown } | null)?.errcode
  return typeof extended === 'number' ? extended & 0xff : undefined
}
