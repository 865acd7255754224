// PostgreSQL behind kysely: writers take turns, and a commit whose answer is lost can be found again.
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  type PostgresPool,
  type TransactionSettings,
} from 'kysely'
import { CommitUnknown, endsSession } from './postgres-errors.ts'

/** Every writer of every process takes this row first, so that they write one after another. */
const BEGIN = `begin;
  select last from sequences where name = 'message' for update;
  select cast(gen_random_uuid() as text) as batch`

/** Numbers ascend, and by the clock too: a replica that was promoted gives none that the lost primary had given. */
const noteCommit = (batch: string) => `insert into commits (id, number) select '${batch}', greatest(
  coalesce(max(number), 0) + 1,
  cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)) from commits`

type Rollbackable = Parameters<PostgresDriver['rollbackTransaction']>[0]

/** Transactions of access mode `read write` hold the lock from their start, and leave a row by which a commit is found. */
class LockingDriver extends PostgresDriver {
  readonly #batches = new WeakMap<DatabaseConnection, string>()

  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings) {
    if (settings.accessMode !== 'read write') return super.beginTransaction(connection, settings)
    try {
      const { rows } = await connection.executeQuery<{ batch: string }>(CompiledQuery.raw(BEGIN))
      this.#batches.set(connection, (rows[0] as { batch: string }).batch)
    } catch (error) {
      // The transaction has begun, and kysely does not know it.
      await this.rollbackTransaction(connection as Rollbackable)
      throw error
    }
  }

  override async commitTransaction(connection: DatabaseConnection) {
    const batch = this.#batches.get(connection)
    if (batch === undefined) return super.commitTransaction(connection)
    this.#batches.delete(connection)
    const commit = CompiledQuery.raw(`${noteCommit(batch)}; commit`)
    await connection.executeQuery(commit).catch((error: Error) => {
      throw endsSession(error.cause) ? new CommitUnknown(batch, error) : error
    })
  }

  /** What has led to it is the error to report; kysely closes the connection if this fails. */
  override async rollbackTransaction(connection: Rollbackable) {
    this.#batches.delete(connection)
    await super.rollbackTransaction(connection).catch(() => {})
  }
}

/** Migrations take a lock of their own, since kysely's belongs to a session, and poolers share sessions. */
class UnlockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock() {}
  override async releaseMigrationLock() {}
}

export function kyselyOf<S>(pool: PostgresPool): Kysely<S> {
  const config: PostgresDialectConfig = { pool }
  const dialect = new PostgresDialect(config)
  dialect.createDriver = () => new LockingDriver(config)
  dialect.createAdapter = () => new UnlockedAdapter()
  return new Kysely<S>({ dialect })
}
