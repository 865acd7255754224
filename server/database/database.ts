// The interface that every database engine implements.
import {
  type Kysely,
  type Transaction as KyselyTransaction,
  type RawBuilder,
  SqliteAdapter,
  sql,
} from 'kysely'
import type { Clock } from '../system/system.ts'
import type { Primary } from './postgres/position.ts'
import type { Schema } from './schema/schema.ts'

export type Transaction = KyselyTransaction<Schema>

/** A connection or a transaction; query functions take either. */
export type Queryable = Kysely<Schema> | Transaction

/** What the statement that takes the write lock has read. */
export interface Opening {
  /** The database's own clock [ms since 1970]; null on an engine that has none but this machine's. */
  databaseTime: number | null
  /**
   * Identifies the history that the database continues: another one after each change of host, cluster or timeline. Null
   * on an engine without hosts.
   */
  history: string | null
}

export interface Database {
  /** For reads of a single statement; must not be used to write. */
  readonly db: Kysely<Schema>
  /** Runs several reads on one consistent snapshot. */
  read<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /**
   * Runs one durable transaction that holds the write lock from its start; rolled back if `work` throws. `work` may run
   * again after a failed attempt, and must await nothing but queries.
   * @throws DatabaseUnavailable when the engine cannot run it now
   */
  write<T>(work: (tx: Transaction, opening: Opening) => Promise<T>): Promise<T>
  /**
   * Returns a number that changes with every commit of any process; data read at the same number is still current. An
   * engine within the process returns it synchronously.
   */
  version(): number | Promise<number>
  /**
   * Takes a lock between hosts for work that is longer than a transaction; null while another host holds it. It only
   * avoids duplicate work: a holder that cannot renew it for 30 s may lose it. Undefined if only one host is possible.
   */
  takeLease?(name: string): Promise<Lease | null>
  /** Returns the host in use; null while there is none. Undefined for an engine without hosts. */
  primary?(): Primary | null
  /** Returns the state of the connection pool. Undefined for an engine without one. */
  connections?(): Connections
  /** Writes a consistent copy of the database into an empty file. Undefined if the engine has tools for that. */
  copyTo?(file: string): Promise<void>
  /**
   * Overwrites what was deleted in the write-ahead log, too. False if another process has read or written all the time, so
   * that it still contains it. Undefined for an engine whose files belong to a server.
   */
  overwriteDeleted?(): Promise<boolean>
  /** Reads the database's own clock [ms since 1970]; null on an engine that has none but this machine's. */
  databaseTime(): Promise<number | null>
  state(): Promise<DatabaseState>
  close(): Promise<void>
}

/** Receives what a database has to tell its operator, one line at a time. */
export interface DatabaseLog {
  warn(line: string): void
  error(line: string): void
}

export interface OpenOptions {
  clock: Clock
  create: boolean
  dataDir?: string
  log?: DatabaseLog
  onlyReads?: boolean
}

/** `outdated`: a newer version has migrated the database, so this one only reads it. */
export type DatabaseState = 'ok' | 'outdated' | 'unavailable'

export interface Connections {
  busy: number
  idle: number
  /** Requests for a connection while all are busy. */
  waiting: number
}

export interface Lease {
  /** The fencing number; increases each time that any host takes the lease. */
  readonly fence: bigint
  release(): Promise<void>
}

/** The values of `visible` in `where` clauses. Literals, since SQLite uses partial indexes only for literals. */
export const VISIBLE = sql<bigint>`1`
export const NOT_VISIBLE = sql<bigint>`0`

/**
 * Whether readers may see a message. Its own row is not enough: while a directory is being hidden or shown, none of its
 * messages is visible until all their rows have been updated (moderation/sweeps.ts).
 * @param table the name that the table of messages has in the query
 */
export const isVisibleIn = (table: string): RawBuilder<boolean> =>
  sql`(${sql.ref(`${table}.visible`)} = 1
    and ${sql.ref(`${table}.directory_id`)} not in (select directory_id from sweeps))`

export const VISIBLE_MESSAGE = isVisibleIn('messages')

export const isSqlite = (db: { getExecutor(): { readonly adapter: unknown } }): boolean =>
  db.getExecutor().adapter instanceof SqliteAdapter
