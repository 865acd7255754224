// The store on PostgreSQL: writers of all processes in turn by one row's lock, and commits whose answers may be lost.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql, type Transaction } from 'kysely'
import { type Store, StoreUnavailable } from './contract.ts'
import { kyselyOf } from './postgres-dialect.ts'
import { CommitUnknown, isTransient } from './postgres-errors.ts'
import { Hosts, type Timeouts } from './postgres-hosts.ts'
import { takeLease } from './postgres-lease.ts'
import { openReplica, type ReplicaReads } from './postgres-replica.ts'
import { bringUpToDate } from './postgres-schema.ts'
import { nameOfPostgres, parsePostgresUrl } from './postgres-url.ts'
import type { Schema } from './schema.ts'

/** A service answers somebody who waits. */
const SERVICE: Timeouts = { statement: 10_000, lock: 4_000, idle: 10_000 }
/** A command works through much at once. */
const COMMAND: Timeouts = { statement: 600_000, lock: 10_000, idle: 60_000 }

/** Connections of one process. */
const READERS = 10
const WRITERS = 4

/** How long a write is tried again, when the database was well before [ms]. */
const WRITE_TIMEOUT_MS = 5_000
/** How long a commit is looked up whose answer was lost [ms]. */
const LOOKUP_TIMEOUT_MS = 30_000
const RETRY_MS = 50

/** By then nobody waits for the answer to a commit any more. */
const FORGET_AFTER = sql`interval '1 hour'`
const FORGET_EVERY_MS = 600_000

/** As `openStore`. @param url as parsePostgresUrl takes it; so is `replica` */
export async function openPostgresStore(
  url: string,
  { create, replica }: { create: boolean; replica?: string | undefined },
): Promise<Store> {
  const location = parsePostgresUrl(url)
  const timeouts = create ? SERVICE : COMMAND
  const open = (max: number) => Hosts.open(location, { max, timeouts, acceptsReplica: false })
  const pool = await open(WRITERS)
  const writer = kyselyOf<Schema>(pool)
  const readers = await open(READERS)
  const reader = kyselyOf<Schema>(readers)
  const close = async () => {
    await reader.destroy()
    await writer.destroy()
  }
  try {
    await bringUpToDate(writer, create)
  } catch (error) {
    await close()
    const { message } = error as Error
    throw new Error(`${nameOfPostgres(location)}: ${message}`, { cause: error })
  }
  const write = writerOf(pool, writer)
  const store: Store = {
    ...readsOf(reader),
    write,
    connections: () => Hosts.connections([pool, readers]),
    takeLease: (name) => takeLease({ write }, name),
    close,
  }
  if (replica === undefined) return store
  return withReplica(
    store,
    await openReplica(replica, reader, timeouts).catch(async (error) => {
      await close()
      throw error
    }),
  )
}

function withReplica(primary: Store, { db, close }: ReplicaReads): Store {
  return {
    ...primary,
    replica: { ...readsOf(db), write: primary.write, close },
    close: async () => {
      await close()
      await primary.close()
    },
  }
}

const readsOf = (db: Kysely<Schema>): Pick<Store, 'db' | 'read' | 'version' | 'isReadable'> => ({
  db,
  read: readerOf(db),
  version: together(() => versionOf(db)),
  isReadable: () => isReadable(db),
})

const readerOf =
  (db: Kysely<Schema>): Store['read'] =>
  (work) =>
    db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work)

/** Shares queries: all who call while one is in flight get the result of the next, and nobody one that began before. */
function together<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | null = null
  return () => {
    next ??= asked.then(() => {
      next = null
      const answer = ask()
      asked = answer.catch(() => {})
      return answer
    })
    return next
  }
}

const versionOf = async (db: Kysely<Schema>): Promise<number> => {
  const { rows } = await sql<{
    number: bigint | null
  }>`select max(number) as number from commits`.execute(db)
  return Number(rows[0]?.number)
}

const isReadable = (db: Kysely<Schema>): Promise<boolean> =>
  sql`select 1 from settings`.execute(db).then(
    () => true,
    () => false,
  )

function writerOf(pool: Hosts, db: Kysely<Schema>): Store['write'] {
  const forget = forgetting()
  return async (work) => {
    const deadline = performance.now() + (pool.isDown ? 0 : WRITE_TIMEOUT_MS)
    const attempt = () =>
      writeOnce(db, async (tx) => {
        await forget(tx)
        return work(tx)
      })
    return retried(attempt, deadline)
  }
}

/** Tries until the deadline [of performance.now()]; what fails then is reported. */
async function retried<T>(attempt: () => Promise<T>, deadline: number): Promise<T> {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isTransient(error) || performance.now() > deadline) throw error
      await sleep(RETRY_MS)
    }
  }
}

type Work<T> = (tx: Transaction<Schema>) => Promise<T>

/** One transaction; whether it was committed is known when this returns or throws. */
async function writeOnce<T>(db: Kysely<Schema>, work: Work<T>): Promise<T> {
  let result: T
  try {
    return await db
      .transaction()
      .setAccessMode('read write')
      .execute(async (tx) => {
        result = await work(tx)
        return result
      })
  } catch (error) {
    if (error instanceof CommitUnknown && (await wasCommitted(db, error.batch))) return result!
    throw error
  }
}

/**
 * Looks for the row of a commit whose answer was lost. The lock is the lost transaction's until it ends, so that what is
 * found is final; and the row is written again, so that a synchronous replica has it before anybody is told.
 * @throws StoreUnavailable when the database stays away
 */
async function wasCommitted(db: Kysely<Schema>, batch: string): Promise<boolean> {
  const lookUp = () =>
    db
      .transaction()
      .setAccessMode('read write')
      .execute(async (tx) => {
        const found = await sql`update commits set at = now() where id = ${batch}`.execute(tx)
        return found.numAffectedRows === 1n
      })
  try {
    return await retried(lookUp, performance.now() + LOOKUP_TIMEOUT_MS)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StoreUnavailable(`whether a commit was done could not be found out: ${reason}`)
  }
}

/** Deletes old rows of `commits`, now and then. */
function forgetting(): Work<void> {
  let due = performance.now() + FORGET_EVERY_MS
  return async (tx) => {
    if (performance.now() < due) return
    due = performance.now() + FORGET_EVERY_MS
    await sql`delete from commits where at < now() - ${FORGET_AFTER}
      and number < (select max(number) from commits)`.execute(tx)
  }
}
