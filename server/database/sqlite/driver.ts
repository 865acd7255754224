// Opens SQLite files with node:sqlite, and adapts their connections to kysely.
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  statSync,
} from 'node:fs'
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  type LimitNode,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  SqliteQueryCompiler,
  type SqliteStatement,
  type TransactionSettings,
} from 'kysely'

/** Mode of the database's files: readable and writable by their owner only. */
const OWNER_ONLY = 0o600

/**
 * The write-ahead log is checkpointed at this many pages of 4 KiB. Keys and windows are at random positions in their
 * indexes, so the same pages change many times; a long log copies each of them once.
 */
const CHECKPOINT_PAGES = 8_000
const WRITER_CACHE_KIB = 8_192

/** Prepared statements kept per connection, far more than the service has queries; further ones are prepared each time. */
const MAX_STATEMENTS = 500

/**
 * How long a statement may block this process while another one holds a lock [ms]. Writers wait in a queue
 * instead; in WAL mode, readers are blocked only while the file is being opened or recovered.
 */
const BUSY_TIMEOUT_MS = { write: 0, read: 100 }

/** Builds a row from its values: node:sqlite takes twice as long for objects as for arrays. */
function rowOf(names: readonly string[], values: readonly SQLOutputValue[]) {
  const row: Record<string, SQLOutputValue> = {}
  for (let i = 0; i < names.length; i++) row[names[i] as string] = values[i] as SQLOutputValue
  return row
}

function asKyselyDatabase(db: DatabaseSync): SqliteDatabase {
  const prepared = new Map<string, SqliteStatement>()
  const prepare = (text: string): SqliteStatement => {
    const statement = db.prepare(text)
    statement.setReadBigInts(true)
    statement.setReturnArrays(true)
    const names = statement.columns().map(({ name }) => name)
    const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[]
    const asRow = (row: unknown) => rowOf(names, row as SQLOutputValue[])
    return {
      reader: names.length > 0,
      all: (parameters) => statement.all(...values(parameters)).map(asRow),
      run: (parameters) => statement.run(...values(parameters)),
      iterate: (parameters) => statement.iterate(...values(parameters)).map(asRow),
    }
  }
  return {
    close: () => db.close(),
    prepare(text) {
      const known = prepared.get(text)
      if (known) return known
      const statement = prepare(text)
      if (prepared.size < MAX_STATEMENTS) prepared.set(text, statement)
      return statement
    },
  }
}

/**
 * Takes the write lock at the start of a writing transaction: a deferred one would read first, and then fail if another
 * process had written in between.
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

  /** SQLite may have rolled back by itself, as on a full disk. */
  override async rollbackTransaction(connection: DatabaseConnection) {
    if (this.#db.isTransaction) await super.rollbackTransaction(connection)
  }
}

/** Kysely assumes that SQLite runs DDL outside transactions. It need not, and a migration must be atomic. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true
  }
}

/**
 * SQLite plans a statement for the value that is bound to its limit, and so prepares it again whenever one is bound. With a
 * limit that is computed, a statement is prepared once, and a page of 50 messages takes a fifth to a third less time.
 */
class ReusableCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    this.append('limit cast(')
    this.visitNode(node.limit)
    this.append(' as integer)')
  }
}

/**
 * Opens a database file in WAL mode; each commit is synced to disk.
 * @param create whether a missing or empty file becomes a new database
 * @throws Error with one clear line when the file is missing or empty
 */
export function openSqlite<S>(path: string, create: boolean): Kysely<S> {
  if (!create && path !== ':memory:') requireContent(path)
  if (path !== ':memory:') restrictToOwner(path)
  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS.write })
  try {
    // secure_delete: a text that an operator erases must not remain in the file.
    db.exec(`pragma foreign_keys = on; pragma journal_mode = wal; pragma synchronous = full;
      pragma secure_delete = on;
      pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}; pragma cache_size = -${WRITER_CACHE_KIB}`)
  } catch (error) {
    db.close()
    throw error
  }
  return asKysely(db)
}

/** Reads a whole copy of a database. @throws Error with one line if SQLite finds a fault in it */
export function requireWhole(path: string): void {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    const [found] = db.prepare('pragma integrity_check(1)').all()
    if (found?.integrity_check !== 'ok')
      throw new Error(`${path}: the copy is damaged: ${found?.integrity_check}`)
  } finally {
    db.close()
  }
}

/** Whether the path names a file without a byte, as a copy to a full disk leaves behind; SQLite would make it a new database. */
export function isEmptyFile(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.isFile() === true && found.size === 0
}

function requireContent(path: string): void {
  if (!statSync(path, { throwIfNoEntry: false }))
    throw new Error(`${path}: no database here; start the server once, or set DATA_DIR`)
  if (isEmptyFile(path))
    throw new Error(
      `${path}: no database here, the file is empty; restore the backup, or start the server once`,
    )
}

/** The files contain hidden texts and the key of the origin hashes, so only their owner may read them. */
function restrictToOwner(path: string): void {
  closeSync(openSync(path, 'a', OWNER_ONLY))
  // chmod on a device would change it for the whole machine.
  if (!statSync(path).isFile()) throw new Error(`${path}: must be a file`)
  // Windows has no such modes.
  if (process.platform === 'win32') return
  // SQLite creates its other files with the mode of this one; existing files may have another mode.
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    try {
      chmodSync(file, OWNER_ONLY)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}

/**
 * Opens a file that cannot be written, with the records that are only in its write-ahead log. SQLite's own read-only mode
 * needs the -shm file next to the log. Without one, no other process has the database open on this machine, so this takes
 * no locks, and indexes the log in memory or, if there is none, reads the file as it is.
 */
export function openUnwritable<S>(path: string): Kysely<S> {
  accessSync(path, constants.R_OK)
  const has = (suffix: string) => existsSync(`${path}${suffix}`)
  const url = pathToFileURL(path)
  if (!has('-wal')) url.search = 'immutable=1'
  else if (!has('-shm')) url.search = 'vfs=unix-none'
  const db = new DatabaseSync(url, { readOnly: true, timeout: BUSY_TIMEOUT_MS.read })
  if (!has('-shm')) db.exec('pragma locking_mode = exclusive')
  return asKysely(db)
}

/**
 * Opens a connection of its own for a number that changes with every commit of any other connection to the file, in any process:
 * one inside a read transaction would see only the version at its start.
 */
export function openDataVersion(path: string) {
  const db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS.read })
  const statement = db.prepare('pragma data_version')
  statement.setReturnArrays(true)
  return {
    current: (): number => (statement.get() as unknown as [number])[0],
    close: () => db.close(),
  }
}

/** Opens a second connection to an open database file, whose reads never wait for a writing transaction. */
export const openSqliteReader = <S>(path: string): Kysely<S> =>
  asKysely(new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS.read }))

function asKysely<S>(db: DatabaseSync): Kysely<S> {
  const config = { database: asKyselyDatabase(db) }
  const dialect = new SqliteDialect(config)
  dialect.createDriver = () => new ImmediateDriver(db, config)
  dialect.createQueryCompiler = () => new ReusableCompiler()
  dialect.createAdapter = () => new TransactionalAdapter()
  return new Kysely<S>({ dialect })
}
