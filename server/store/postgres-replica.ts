// Reads from replicas, and measures their lag so that one too far behind is not used.
import { type Kysely, type PostgresPool, sql } from 'kysely'
import { type Store, StoreUnavailable } from './contract.ts'
import { kyselyOf } from './postgres-dialect.ts'
import { Hosts } from './postgres-hosts.ts'
import type { Timeouts } from './postgres-timeouts.ts'
import { nameOfPostgres, parsePostgresUrl } from './postgres-url.ts'
import type { Schema } from './schema.ts'

const READERS = 10

/** A replica further behind than this is not read; the lag can be larger by one measuring interval [ms]. */
const MAX_LAG_MS = 4_000
const MEASURE_INTERVAL_MS = 1_000

/** The WAL position that a primary has written, or that a replica has replayed [bytes]. */
const POSITION = sql<{ position: bigint }>`select cast(pg_wal_lsn_diff(
  case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end,
  '0/0') as bigint) as position`

/** A connection for reads from replicas. */
export type ReplicaReads = Pick<Store, 'db'> & { close(): Promise<void> }

/**
 * Opens connections to replicas, which need not be reachable yet.
 * @param url in the form that `parsePostgresUrl` parses
 * @throws Error with one clear line when a replica rejects the login, or has no such database
 */
export async function openReplica(
  url: string,
  primary: Kysely<Schema>,
  timeouts: Timeouts,
): Promise<ReplicaReads> {
  const location = parsePostgresUrl(url)
  const hosts = await Hosts.open(location, { max: READERS, timeouts, acceptsReplica: true })
  const unchecked = kyselyOf<Schema>(hosts, timeouts)
  const lag = new Lag(
    () => positionOf(primary),
    () => positionOf(unchecked),
  )
  const current: PostgresPool = {
    options: {},
    connect: async () => {
      if (!lag.isSmall) throw new StoreUnavailable('the replica is unreachable or too far behind')
      return hosts.connect()
    },
    end: () => hosts.end(),
  }
  const db = kyselyOf<Schema>(current, timeouts)
  const problem = await lag.measure()
  if (problem && !(problem instanceof StoreUnavailable && mayRecover(problem))) {
    await db.destroy()
    throw new Error(`${nameOfPostgres(location)}: ${problem.message}`, { cause: problem })
  }
  const timer = setInterval(() => void lag.measure(), MEASURE_INTERVAL_MS)
  timer.unref()
  return {
    db,
    close: async () => {
      clearInterval(timer)
      await db.destroy()
    },
  }
}

async function positionOf(db: Kysely<Schema>): Promise<bigint> {
  const { rows } = await POSITION.execute(db)
  return rows[0]?.position ?? 0n
}

/** A rejected login or a missing database is a configuration error, which does not go away by itself. */
const mayRecover = ({ cause }: StoreUnavailable): boolean =>
  !/^(?:28...|3D000)$/.test(String((cause as { code?: unknown } | undefined)?.code))

/** Measures a replica's lag: for how long the primary has had a position that the replica has not replayed. */
export class Lag {
  readonly #primary: () => Promise<bigint>
  readonly #replica: () => Promise<bigint>
  /** Positions of the primary that the replica has not reached, oldest first, and when each was measured [ms]. */
  #ahead: { position: bigint; at: number }[] = []
  #isReachable = false
  #isPrimaryReachable = true
  #isMeasuring = false
  #isMeasuringPrimary = false

  constructor(primary: () => Promise<bigint>, replica: () => Promise<bigint>) {
    this.#primary = primary
    this.#replica = replica
  }

  /** Once the primary is unreachable, the lag stays as it was last measured; while a query to it waits, it grows. */
  get isSmall(): boolean {
    const [oldest] = this.#ahead
    const latest = this.#ahead.at(-1)
    if (!oldest || !latest) return this.#isReachable
    const now = this.#isPrimaryReachable ? performance.now() : latest.at
    return this.#isReachable && now - oldest.at <= MAX_LAG_MS
  }

  /**
   * Does not wait for the primary, which may hang until its query times out.
   * @returns the replica's error, if it has one
   */
  async measure(): Promise<Error | null> {
    void this.#measurePrimary()
    if (this.#isMeasuring) return null
    this.#isMeasuring = true
    try {
      const reached = await this.#replica()
      this.#ahead = this.#ahead.filter((mark) => mark.position > reached)
      this.#isReachable = true
      return null
    } catch (error) {
      this.#isReachable = false
      return error as Error
    } finally {
      this.#isMeasuring = false
    }
  }

  /** Never rejects. */
  async #measurePrimary(): Promise<void> {
    if (this.#isMeasuringPrimary) return
    this.#isMeasuringPrimary = true
    const at = performance.now()
    const position = await this.#primary().catch(() => null)
    if (position !== null) this.#note(position, at)
    this.#isPrimaryReachable = position !== null
    this.#isMeasuringPrimary = false
  }

  #note(position: bigint, at: number): void {
    // A promoted replica continues from its own position, which may be behind the lost primary's.
    this.#ahead = this.#ahead.filter((mark) => mark.position <= position)
    this.#ahead.push({ position, at })
  }
}
