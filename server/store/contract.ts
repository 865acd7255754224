// What every engine promises to the features.
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Schema } from './schema.ts'

/** A connection or a transaction: what a query function needs. */
export type Queryable = Kysely<Schema> | Transaction<Schema>

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
  /**
   * A number that differs after every commit, of whatever process: what was read at the same number still holds. An
   * engine within the process knows it at once.
   */
  version(): number | Promise<number>
  /**
   * The same records a moment late, for lists and pages: at most 5 s while the primary is there. It writes to the
   * primary. Undefined without one.
   */
  readonly replica?: Store
  /**
   * Takes a lock between hosts, for work that is longer than a transaction; null while another holds it. It is there to
   * save work: a holder that was away for half a minute may have lost it. Undefined where no other host can be.
   */
  takeLease?(name: string): Promise<Lease | null>
  /** How its connections are used now. Undefined for an engine that has no pool of them. */
  connections?(): Connections
  /** Writes the database as it is at this moment into an empty file. Undefined where the engine has tools for that. */
  copyTo?(file: string): Promise<void>
  /** Whether the database answers a read. */
  isReadable(): Promise<boolean>
  close(): Promise<void>
}

export interface Connections {
  busy: number
  idle: number
  /** Asked for, while all are busy. */
  waiting: number
}

export interface Lease {
  /** Greater each time that the lease is taken, by whomever. */
  readonly fence: bigint
  release(): Promise<void>
}

/** The database cannot answer now: locked too long, disk full, file gone, ids used up. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

/** In `where` clauses: a literal, since SQLite matches partial indexes against literals only. */
export const VISIBLE = sql<bigint>`1`

/**
 * Whether readers may see a message. Its own row is not enough: a directory that is being hidden or shown takes its
 * messages out of sight at once, and their rows follow (moderation/sweeps.ts).
 */
export const VISIBLE_MESSAGE = sql<boolean>`(messages.visible = 1
  and messages.directory_id not in (select directory_id from sweeps))`
