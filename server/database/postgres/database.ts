// The database on PostgreSQL: serializes the writers of all processes, and resolves commits whose response was lost.
import { type Kysely, sql } from 'kysely'
import { coalesced } from '../../../archive/base/concurrently.ts'
import { type Clock, retried } from '../../system/system.ts'
import type { Database, Lease, OpenOptions, Transaction } from '../database.ts'
import { DatabaseUnavailable } from '../errors.ts'
import type { Schema } from '../schema/schema.ts'
import { stateOf } from '../schema/version.ts'
import { DATABASE_TIME, kyselyOf, openingOf } from './dialect.ts'
import { CommitUnknown, isTransient } from './errors.ts'
import { Hosts } from './hosts.ts'
import { Timelines } from './position.ts'
import { bringUpToDate } from './schema.ts'
import type { Timeouts } from './session.ts'
import { nameOfPostgres, parsePostgresUrl } from './url.ts'

/** For the service, whose clients wait for the response. */
const SERVICE: Timeouts = { statement: 4_000, lock: 3_000, idle: 4_000 }
/** For commands, which may process much data in one statement. */
const COMMAND: Timeouts = { statement: 600_000, lock: 10_000, idle: 60_000 }

/** The largest numbers of connections of one process. */
const MAX = { writers: 4, readers: 10 }

/** How long a failed write is retried, unless the database was down already [ms]. */
const WRITE_TIMEOUT_MS = 5_000
/** How long to look up a commit whose response was lost [ms]. */
const LOOKUP_TIMEOUT_MS = 30_000
const RETRY_MS = 50

/** How long rows of `commits` are stored: far longer than a lookup takes. */
const COMMIT_RETENTION = sql`interval '1 hour'`
const PRUNE_INTERVAL_MS = 600_000

/** As `openDatabase`. @param url in the form that `parsePostgresUrl` parses */
export async function openPostgresDatabase(
  url: string,
  { clock, create, dataDir, log }: OpenOptions,
): Promise<Database> {
  const location = parsePostgresUrl(url)
  // The service alone logs its hosts; an import creates a database, too.
  const timeouts = log ? SERVICE : COMMAND
  const timelines = new Timelines(dataDir)
  const hosts = await Hosts.open(location, { max: MAX, timeouts, clock, timelines, log })
  const connect = (name: 'writers' | 'readers', timeouts: Timeouts) =>
    kyselyOf<Schema>(hosts.pool(name, timeouts), { timeouts, hosts })
  const writer = connect('writers', timeouts)
  const reader = connect('readers', timeouts)
  try {
    // A migration may process much data in one statement.
    await bringUpToDate(connect('writers', COMMAND), { create, clock })
  } catch (error) {
    await hosts.close()
    const { message } = error as Error
    throw new Error(`${nameOfPostgres(location)}: ${message}`, { cause: error })
  }
  const write = writerOf(hosts, writer, clock)
  return {
    db: reader,
    read: (work) =>
      reader
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute(work),
    version: coalesced(() => readNumber(reader, '(select max(number) from commits)')),
    databaseTime: async () => clock.ofDatabase(await readNumber(reader, DATABASE_TIME)),
    state: () => stateOf(reader),
    write,
    primary: () => hosts.primary,
    connections: () => hosts.connections(),
    takeLease: (name) => takeLease({ write }, name),
    close: () => hosts.close(),
  }
}

async function readNumber(db: Kysely<Schema>, expression: string): Promise<number> {
  const { rows } = await sql<{ value: bigint }>`select ${sql.raw(expression)} as value`.execute(db)
  return Number(rows[0]?.value)
}

function writerOf(hosts: Hosts, db: Kysely<Schema>, clock: Clock): Database['write'] {
  const prune = commitPruner(clock)
  return async (work) => {
    const deadline = clock.monotonic() + (hosts.isDown ? 0 : WRITE_TIMEOUT_MS)
    const attempt = () =>
      writeOnce(db, clock, async (tx) => {
        await prune(tx)
        const opening = await openingOf(tx)
        return work(tx, { ...opening, databaseTime: clock.ofDatabase(opening.databaseTime) })
      })
    return retried(attempt, isTransient, { clock, deadline, pauseMs: RETRY_MS })
  }
}

type Work<T> = (tx: Transaction) => Promise<T>

/** Runs one transaction. If the response to its commit is lost, looks up whether it was committed. */
async function writeOnce<T>(db: Kysely<Schema>, clock: Clock, work: Work<T>): Promise<T> {
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
    if (error instanceof CommitUnknown && (await wasCommitted(db, clock, error.batch)))
      return result!
    throw error
  }
}

/**
 * Looks up whether a transaction was committed. The lookup takes the writers' lock, which the transaction holds until
 * it ends, so the result is final. It updates the row, so that a synchronous replica has the commit before it is
 * reported.
 * @throws DatabaseUnavailable when the database stays unreachable
 */
async function wasCommitted(db: Kysely<Schema>, clock: Clock, batch: string): Promise<boolean> {
  const lookUp = () =>
    db
      .transaction()
      .setAccessMode('read write')
      .execute(async (tx) => {
        const found = await sql`update commits set at = now() where id = ${batch}`.execute(tx)
        return found.numAffectedRows === 1n
      })
  try {
    const deadline = clock.monotonic() + LOOKUP_TIMEOUT_MS
    return await retried(lookUp, isTransient, { clock, deadline, pauseMs: RETRY_MS })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    // Without a `cause`: isTransient would inspect it, and a write that may be committed must not be retried.
    throw new DatabaseUnavailable(`could not find out whether a write was committed: ${reason}`)
  }
}

/** Returns a function that deletes old rows of `commits`, at most once every PRUNE_INTERVAL_MS. */
function commitPruner(clock: Clock): Work<void> {
  let due = clock.monotonic() + PRUNE_INTERVAL_MS
  return async (tx) => {
    if (clock.monotonic() < due) return
    due = clock.monotonic() + PRUNE_INTERVAL_MS
    await sql`delete from commits where at < now() - ${COMMIT_RETENTION}
      and number < (select max(number) from commits)`.execute(tx)
  }
}

/** How long a lease is valid after its last renewal. */
const VALID_FOR = sql`interval '30 seconds'`
const RENEW_EVERY_MS = 10_000

async function takeLease({ write }: Pick<Database, 'write'>, name: string): Promise<Lease | null> {
  const taken = await write((tx) => takeRow(tx, name))
  if (taken === undefined) return null
  const isMine = sql`name = ${name} and fence = ${taken}`
  const update = (endsAt: typeof VALID_FOR) =>
    write((tx) => sql`update leases set ends_at = ${endsAt} where ${isMine}`.execute(tx))
  // A failed renewal is retried by the next; one after another host has taken the lease changes nothing.
  const timer = setInterval(
    () => void update(sql`now() + ${VALID_FOR}`).catch(() => {}),
    RENEW_EVERY_MS,
  )
  timer.unref()
  return {
    fence: taken,
    release: async () => {
      clearInterval(timer)
      // A lease that cannot be released expires by itself.
      await update(sql`now()`).catch(() => {})
    },
  }
}

/** @returns the fencing number; undefined while another host holds the lease */
async function takeRow(tx: Kysely<Schema>, name: string): Promise<bigint | undefined> {
  const { rows } = await sql<{ fence: bigint }>`
    insert into leases (name, fence, ends_at) values (${name}, 1, now() + ${VALID_FOR})
    on conflict (name) do update set fence = leases.fence + 1, ends_at = excluded.ends_at
    where leases.ends_at <= now()
    returning fence`.execute(tx)
  return rows[0]?.fence
}
