// Replicas: reads of the same records a moment late, and never of a replica that has fallen further behind than that.
import { type Kysely, sql } from 'kysely'
import { type Store, StoreUnavailable } from './contract.ts'
import { kyselyOf } from './postgres-dialect.ts'
import { Hosts, type Timeouts } from './postgres-hosts.ts'
import { nameOfPostgres, parsePostgresUrl } from './postgres-url.ts'
import type { Schema } from './schema.ts'

const READERS = 10

/** A replica that is further behind is not read [ms]; a look that is due adds to it. */
const MAX_LAG_MS = 4_000
const LOOK_EVERY_MS = 1_000

/** How far the log of a server goes, or how far a replica has followed it [bytes]. */
const POSITION = sql<{ position: bigint }>`select cast(pg_wal_lsn_diff(
  case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end,
  '0/0') as bigint) as position`

/** What readers of a replica need of a store. */
export type ReplicaReads = Pick<Store, 'db'> & { close(): Promise<void> }

/**
 * Opens connections to replicas, which need not be there yet.
 * @param url as parsePostgresUrl takes it
 * @throws Error with one clear line when a replica refuses
 */
export async function openReplica(
  url: string,
  primary: Kysely<Schema>,
  timeouts: Timeouts,
): Promise<ReplicaReads> {
  const location = parsePostgresUrl(url)
  const hosts = await Hosts.open(location, { max: READERS, timeouts, acceptsReplica: true })
  const unchecked = kyselyOf<Schema>(hosts)
  const lag = new Lag(
    () => positionOf(primary),
    () => positionOf(unchecked),
  )
  const db = kyselyOf<Schema>({
    options: {},
    connect: async () => {
      if (!lag.isSmall) throw new StoreUnavailable('the replica is away or too far behind')
      return hosts.connect()
    },
    end: () => hosts.end(),
  })
  const problem = await lag.look()
  if (problem && !(problem instanceof StoreUnavailable && isAway(problem))) {
    await db.destroy()
    throw new Error(`${nameOfPostgres(location)}: ${problem.message}`, { cause: problem })
  }
  const timer = setInterval(() => void lag.look(), LOOK_EVERY_MS)
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

/** A server that answers with an error of its own is there, and will not answer otherwise later. */
const isAway = ({ cause }: StoreUnavailable): boolean =>
  !/^(?:28...|3D000)$/.test(String((cause as { code?: unknown } | undefined)?.code))

/** How far a replica is behind, in time: since when the primary has had what the replica has not. */
class Lag {
  readonly #primary: () => Promise<bigint>
  readonly #replica: () => Promise<bigint>
  /** Positions of the primary that the replica has not reached, oldest first, and when they were seen. */
  #ahead: { position: bigint; at: number }[] = []
  #isThere = false
  #isLooking = false

  constructor(primary: () => Promise<bigint>, replica: () => Promise<bigint>) {
    this.#primary = primary
    this.#replica = replica
  }

  /** While the primary is away, the replica is as far behind as it was. */
  get isSmall(): boolean {
    const [oldest] = this.#ahead
    const latest = this.#ahead.at(-1)
    return this.#isThere && (!oldest || !latest || latest.at - oldest.at <= MAX_LAG_MS)
  }

  /** @returns the replica's error, if it has one */
  async look(): Promise<Error | null> {
    if (this.#isLooking) return null
    this.#isLooking = true
    const at = performance.now()
    const position = await this.#primary().catch(() => null)
    if (position !== null) this.#note(position, at)
    try {
      const reached = await this.#replica()
      this.#ahead = this.#ahead.filter((mark) => mark.position > reached)
      this.#isThere = true
      return null
    } catch (error) {
      this.#isThere = false
      return error as Error
    } finally {
      this.#isLooking = false
    }
  }

  #note(position: bigint, at: number): void {
    // A replica that has become the primary goes on where it was, which the lost one may have passed.
    this.#ahead = this.#ahead.filter((mark) => mark.position <= position)
    this.#ahead.push({ position, at })
  }
}
