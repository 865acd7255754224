// node:sqlite behind kysely: one durable connection to one file.
import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  type SqliteStatement,
  type TransactionSettings,
} from 'kysely'

/** Mode of the database's files: read and written by their owner. */
const PRIVATE = 0o600

/**
 * The log is copied into the file once it has this many pages of 4 KiB. Keys and windows lie at random places of their
 * indexes, so that a page is written many times; a long log copies it once.
 */
const CHECKPOINT_PAGES = 8_000
const WRITER_CACHE_KIB = 8_192

/** Prepared statements kept per connection; far more than the service has queries. */
const STATEMENTS = 500

/**
 * How long one statement may block this process for another's lock. Writers wait in the store,
 * asynchronously; in WAL mode a reader meets a lock only while the file is being opened or recovered.
 */
const BUSY_TIMEOUT_MS = { write: 0, read: 100 }

function named(names: readonly string[], values: readonly SQLOutputValue[]) {
  const row: Record<string, SQLOutputValue> = {}
  for (let i = 0; i < names.length; i++) row[names[i] as string] = values[i] as SQLOutputValue
  return row
}

function asKyselyDatabase(db: DatabaseSync): SqliteDatabase {
  const cache = new Map<string, SqliteStatement>()
  const prepare = (text: string): SqliteStatement => {
    const statement = db.prepare(text)
    statement.setReadBigInts(true)
    // Naming the columns here takes half the time that SQLite's binding takes for it.
    statement.setReturnArrays(true)
    const names = statement.columns().map(({ name }) => name)
    const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[]
    const rowOf = (row: unknown) => named(names, row as SQLOutputValue[])
    return {
      reader: names.length > 0,
      all: (parameters) => statement.all(...values(parameters)).map(rowOf),
      run: (parameters) => statement.run(...values(parameters)),
      iterate: (parameters) => statement.iterate(...values(parameters)).map(rowOf),
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
  readonly #db: DatabaseSync

  constructor(db: DatabaseSync, config: SqliteDialectConfig) {
    super(config)
    this.#db = db
  }

  override async beginTransaction(connection: DatabaseConnection, settings?: TransactionSettings) {
    const begin = settings?.accessMode === 'read only' ? 'begin' : 'begin immediate'
    await connection.executeQuery(CompiledQuery.raw(begin))
  }

  /** On a full disk SQLite may have rolled back by itself. */
  override async rollbackTransaction(connection: DatabaseConnection) {
    if (this.#db.isTransaction) await super.rollbackTransaction(connection)
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
  if (path !== ':memory:') keepPrivate(path)
  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS.write })
  try {
    // secure_delete: what an operator erases must not stay in the file.
    db.exec(`pragma foreign_keys = on; pragma journal_mode = wal; pragma synchronous = full;
      pragma secure_delete = on;
      pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}; pragma cache_size = -${WRITER_CACHE_KIB}`)
  } catch (error) {
    db.close()
    throw error
  }
  return asKysely(db)
}

/** Hidden texts and the key of the origin hashes are in these files: nobody but their owner may read them. */
function keepPrivate(path: string): void {
  closeSync(openSync(path, 'a', PRIVATE))
  // A device would lose its mode for all of the machine.
  if (!statSync(path).isFile()) throw new Error(`${path}: must be a file`)
  // What SQLite makes next to the file gets the file's own mode; what is there already may be older than this rule.
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    try {
      chmodSync(file, PRIVATE)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}

/** Changes with every commit of any other connection to the file, whichever process makes it. */
export interface DataVersion {
  current(): number
  close(): void
}

/** A connection of its own: within a transaction, one that reads would only see the version at its start. */
export function openDataVersion(path: string): DataVersion {
  const db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS.read })
  const statement = db.prepare('pragma data_version')
  statement.setReturnArrays(true)
  return {
    current: () => (statement.get() as unknown as [number])[0],
    close: () => db.close(),
  }
}

/** A second connection to an open database file, for reads: they never wait for a transaction that writes. */
export const openSqliteReader = <S>(path: string): Kysely<S> =>
  asKysely(new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS.read }))

function asKysely<S>(db: DatabaseSync): Kysely<S> {
  const config = { database: asKyselyDatabase(db) }
  const dialect = new SqliteDialect(config)
  dialect.createDriver = () => new ImmediateDriver(db, config)
  dialect.createAdapter = () => new TransactionalAdapter()
  return new Kysely<S>({ dialect })
}

/** SQLite's primary result codes of failures of the engine itself. */
const CODES = {
  BUSY: 5,
  LOCKED: 6,
  NOMEM: 7,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  NOTADB: 26,
} as const
const ENGINE_FAILURES: readonly number[] = Object.values(CODES)

/** Whether another process holds the lock that a statement needed. */
export const isBusy = (error: unknown): boolean => resultCode(error) === CODES.BUSY

/** Whether the file is something else than a SQLite database. */
export const isNotADatabase = (error: unknown): boolean => resultCode(error) === CODES.NOTADB

/** Whether the engine itself failed: nothing that another query would cure. */
export const isEngineFailure = (error: unknown): error is Error =>
  ENGINE_FAILURES.includes(resultCode(error) ?? 0)

function resultCode(error: unknown): number | undefined {
  const extended = (error as { errcode?: unknown } | null)?.errcode
  return typeof extended === 'number' ? extended & 0xff : undefined
}
