// Kysely's PostgreSQL dialect, changed so that writers take turns, the outcome of every commit can be looked up, and
// every transaction sets its own timeouts.
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  type PostgresPool,
  type Transaction,
  type TransactionSettings,
} from 'kysely'
import type { Opening } from '../database.ts'
import { NEWEST_MIGRATION, requireKnown } from '../schema/version.ts'
import { asUnavailable, CommitUnknown, endsSession, NotPrimary } from './errors.ts'
import type { Hosts } from './hosts.ts'
import { nameOfPrimary, type Primary, TIMELINE } from './position.ts'
import { setForTransaction, type Timeouts } from './session.ts'

/** Every writer of every process locks this row first, so that they write one after another. */
export const WRITER_LOCK = `select last from sequences where name = 'message' for update`

/** The server's clock when the expression is evaluated, not when the transaction began [ms since 1970]. */
export const DATABASE_TIME = 'cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint)'

/** Takes the lock, and reads the rest once it is held. @param timeline an expression */
const lock = (timeline: string) => `${WRITER_LOCK};
  select cast(gen_random_uuid() as text) as batch,
    ${DATABASE_TIME} as database_time,
    (${NEWEST_MIGRATION}) as newest_migration, ${timeline} as timeline`

interface Locked {
  /** Identifies the transaction in `commits`. */
  batch: string
  /** [ms since 1970] */
  database_time: bigint
  newest_migration: string | null
  /** In hex; null if it was not asked for. */
  timeline: string | null
}

interface Begun extends Locked {
  primary: Primary
}

/** What `lock` has read for the transaction that is open on a connection. */
const openings = new WeakMap<DatabaseConnection, Begun>()

/** Returns what the statement that took the lock of a transaction in mode `read write` has read. */
export async function openingOf<S>(
  tx: Transaction<S>,
): Promise<Opening & { databaseTime: number }> {
  const find = async (connection: DatabaseConnection) => openings.get(connection) as Begun
  const { database_time, primary } = await tx.getExecutor().provideConnection(find)
  return { databaseTime: Number(database_time), history: nameOfPrimary(primary) }
}

/** Numbers ascend and follow the clock, so that a promoted replica never repeats a number of the lost primary. */
const noteCommit = (batch: string) => `insert into commits (id, number) select '${batch}', greatest(
  coalesce(max(number), 0) + 1,
  cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)) from commits`

/** The part of Hosts that checks where a write transaction runs. */
export type Checked = Pick<Hosts, 'primary' | 'check' | 'explain'>

export interface TransactionOptions {
  timeouts: Timeouts
  hosts: Checked
}

type Rollbackable = Parameters<PostgresDriver['rollbackTransaction']>[0]

/** Returns the statement that begins a transaction without the lock. */
const begin = ({ isolationLevel, accessMode }: TransactionSettings): string =>
  `begin ${isolationLevel ? `isolation level ${isolationLevel}` : ''} ${accessMode ?? ''}`

/** Transactions in mode `read write` hold the lock from their start, and insert a row that proves their commit. */
class LockingDriver extends PostgresDriver {
  readonly #setTimeouts: string
  readonly #hosts: Checked

  constructor(config: PostgresDialectConfig, { timeouts, hosts }: TransactionOptions) {
    super(config)
    this.#setTimeouts = setForTransaction(timeouts)
    this.#hosts = hosts
  }

  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings) {
    const isWriter = settings.accessMode === 'read write'
    // In one round trip.
    const statements = isWriter
      ? `begin; ${this.#setTimeouts}; ${lock(this.#hosts.primary?.position ? TIMELINE : 'null')}`
      : `${begin(settings)}; ${this.#setTimeouts}`
    try {
      const query = CompiledQuery.raw(statements)
      const { rows } = await connection.executeQuery<Locked>(query)
      if (!isWriter) return
      const locked = rows[0] as Locked
      const primary = this.#hosts.check(locked.timeline)
      requireKnown(locked.newest_migration)
      openings.set(connection, { ...locked, primary })
    } catch (error) {
      // The transaction may have begun, and kysely does not roll back one that failed to begin.
      await this.rollbackTransaction(connection as Rollbackable)
      throw isWriter ? this.#hosts.explain(error) : error
    }
  }

  override async commitTransaction(connection: DatabaseConnection) {
    const begun = openings.get(connection)
    if (begun === undefined) return super.commitTransaction(connection)
    openings.delete(connection)
    const { batch, primary } = begun
    if (primary !== this.#hosts.primary)
      throw asUnavailable(new NotPrimary(`${primary.host} is no longer in use`))
    const commit = CompiledQuery.raw(`${noteCommit(batch)}; commit`)
    await connection.executeQuery(commit).catch((error: Error) => {
      throw endsSession(error.cause) ? new CommitUnknown(batch, error) : error
    })
  }

  /** Ignores a failed rollback: the error that led to it is the one to report. */
  override async rollbackTransaction(connection: Rollbackable) {
    openings.delete(connection)
    await super.rollbackTransaction(connection).catch(() => {})
  }
}

/** Disables kysely's migration lock, a session lock, since poolers share sessions. schema.ts locks a row. */
class UnlockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock() {}
  override async releaseMigrationLock() {}
}

/** Returns a kysely instance on the pool's connections. */
export function kyselyOf<S>(pool: PostgresPool, options: TransactionOptions): Kysely<S> {
  const config: PostgresDialectConfig = { pool }
  const dialect = new PostgresDialect(config)
  dialect.createDriver = () => new LockingDriver(config, options)
  dialect.createAdapter = () => new UnlockedAdapter()
  return new Kysely<S>({ dialect })
}
