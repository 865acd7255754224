// Bounded connection pools for several PostgreSQL hosts, of which the first usable one is used.
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import type { Pool, PoolClient, PoolConfig, Result } from 'pg'
import { loadOptional } from '../../archive/optional-package.ts'
import type { Clock } from '../system.ts'
import type { Connections } from './contract.ts'
import { asUnavailable, endsSession, InRecovery } from './postgres-errors.ts'
import { setUnlessPooled, type Timeouts } from './postgres-timeouts.ts'
import type { PostgresLocation } from './postgres-url.ts'

/** Timeout for a connection, whether the pool is full or the host does not respond [ms]. */
const CONNECT_TIMEOUT_MS = 5_000
/** How long after the server's statement timeout the client gives up [ms]. */
const CLIENT_GRACE_MS = 1_000
/** After every host has failed, attempts within this time fail at once with the same error [ms]. */
const BACKOFF_MS = 300

/** The OIDs of int8, int2 and int4. */
const INTEGERS = [20, 21, 23]

/** A connection in use. After an error that makes it unusable, it is closed instead of returned to the pool. */
export class Session implements PostgresPoolClient {
  readonly #client: PoolClient
  #isUnusable = false

  constructor(client: PoolClient) {
    this.#client = client
  }

  query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>
  /** Required by kysely's interface; never called. */
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query(text: unknown, values?: readonly unknown[]): unknown {
    return this.#query(text as string, values)
  }

  /** Runs one or more statements, and returns the result of the last. */
  async #query(text: string, values?: readonly unknown[]): Promise<Result> {
    try {
      const results = await this.#client.query(text, values)
      return Array.isArray(results) ? (results.at(-1) as Result) : results
    } catch (error) {
      if (endsSession(error)) this.#isUnusable = true
      throw asUnavailable(error)
    }
  }

  /** @param destroy set by kysely after a failed rollback, since the transaction may still be open */
  release(destroy = false): void {
    this.#client.release(destroy || this.#isUnusable)
  }
}

/** Connects to the first of several hosts that accepts, beginning with the one used last. */
export class Hosts implements PostgresPool {
  readonly #pools: Pool[]
  readonly #max: number
  readonly #clock: Clock
  /** Required by kysely for cancelling queries, which is never done. */
  readonly options = {}
  /** The index of the host that was connected to last. */
  #current = 0
  #failure: { at: number; error: unknown } | null = null

  private constructor(pools: Pool[], max: number, clock: Clock) {
    this.#pools = pools
    this.#max = max
    this.#clock = clock
  }

  /**
   * Creates the pools; the first query connects.
   * @param options.max connections per host
   */
  static async open(
    location: PostgresLocation,
    options: { max: number; timeouts: Timeouts; clock: Clock },
  ): Promise<Hosts> {
    const { default: pg } = await loadOptional(
      () => import('pg'),
      'PostgreSQL needs the package pg',
    )
    const { hosts, ...rest } = location
    const config: Omit<PoolConfig, 'host' | 'port'> = {
      ...rest,
      max: options.max,
      application_name: 'daysignal',
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: options.timeouts.statement + CLIENT_GRACE_MS,
      types: {
        getTypeParser: (oid, format) =>
          INTEGERS.includes(oid) ? BigInt : pg.types.getTypeParser(oid, format),
      },
      onConnect: (client) => prepare(client, options.timeouts),
    }
    const pools = hosts.map((host) => new pg.Pool({ ...config, ...host }))
    // The pool itself replaces a connection that dies while it is idle.
    for (const pool of pools) pool.on('error', () => {})
    return new Hosts(pools, options.max, options.clock)
  }

  /** Whether every host failed at the last attempt. */
  get isDown(): boolean {
    return this.#failure !== null
  }

  /** Returns the total numbers of connections. */
  static connections(hosts: readonly Hosts[]): Connections {
    const pools = hosts.flatMap((one) => one.#pools)
    const sum = (of: (pool: Pool) => number) => pools.reduce((total, pool) => total + of(pool), 0)
    return {
      busy: sum((pool) => pool.totalCount - pool.idleCount),
      idle: sum((pool) => pool.idleCount),
      // The pool briefly counts requests that are about to get an idle connection.
      waiting: sum((pool) => Math.max(0, pool.waitingCount - pool.idleCount)),
    }
  }

  /** @throws StoreUnavailable */
  async connect(): Promise<Session> {
    if (this.#failure && this.#clock.monotonic() - this.#failure.at < BACKOFF_MS)
      throw this.#failure.error
    let failure: unknown
    for (let i = 0; i < this.#pools.length; i++) {
      const index = (this.#current + i) % this.#pools.length
      const pool = this.#pools[index] as Pool
      try {
        const client = await pool.connect()
        this.#current = index
        this.#failure = null
        return new Session(client)
      } catch (error) {
        // The pool is full, so the host itself works.
        if (pool.totalCount >= this.#max) throw asUnavailable(error)
        failure ??= asUnavailable(error)
      }
    }
    this.#failure = { at: this.#clock.monotonic(), error: failure }
    throw failure
  }

  async end(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.end()))
  }
}

/** Sets the timeouts and checks the host's role. By a statement, since a pooler may reject startup parameters. */
async function prepare(client: PoolClient, timeouts: Timeouts): Promise<void> {
  // Without a listener, a connection that dies while in use would crash the process; its query fails anyway.
  client.on('error', () => {})
  const { rows } = (await client.query(
    `select pg_is_in_recovery() as follows, ${setUnlessPooled(timeouts, client.processID)}`,
  )) as Result
  if (rows[0]?.follows === true)
    throw new InRecovery('the server is a replica, which accepts no writes')
}
