// BoundedMap pools of connections to whichever of several hosts of PostgreSQL is the one to ask.
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import type { Pool, PoolClient, PoolConfig, Result } from 'pg'
import { loadOptional } from '../../archive/optional-package.ts'
import type { Connections } from './contract.ts'
import { asUnavailable, endsSession, InRecovery } from './postgres-errors.ts'
import type { PostgresLocation } from './postgres-url.ts'

/** How long a statement and its parts may take [ms]. */
export interface Timeouts {
  /** Until the server ends a statement; the client gives up a little later. */
  statement: number
  /** For a lock. */
  lock: number
  /** For a transaction that asks nothing more, since its client may be gone. */
  idle: number
}

/** How long to wait for a connection, whether the pool is full or the host silent [ms]. */
const CONNECT_TIMEOUT_MS = 5_000
/** How much later than the server the client gives up [ms]. */
const CLIENT_GRACE_MS = 1_000
/** After every host has failed, the next attempt waits this long [ms]. */
const REST_MS = 300

/** Types of the protocol: 8, 2 and 4 bytes. */
const INTEGERS = [20, 21, 23]

/** A connection in use, which is closed and not kept when it is of no more use. */
class Session implements PostgresPoolClient {
  readonly #client: PoolClient
  #isUseless = false

  constructor(client: PoolClient) {
    this.#client = client
  }

  query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>
  /** Of kysely's interface; never called. */
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query(text: unknown, values?: readonly unknown[]): unknown {
    return this.#query(text as string, values)
  }

  /** Of several statements the last one's answer. */
  async #query(text: string, values?: readonly unknown[]): Promise<Result> {
    try {
      const results = await this.#client.query(text, values)
      return Array.isArray(results) ? (results.at(-1) as Result) : results
    } catch (error) {
      if (endsSession(error)) this.#isUseless = true
      throw asUnavailable(error)
    }
  }

  release(): void {
    this.#client.release(this.#isUseless)
  }
}

/** Connections to the first of several hosts that takes them. */
export class Hosts implements PostgresPool {
  readonly #pools: Pool[]
  readonly #max: number
  /** Asked for by kysely, for cancelling queries, which is never done. */
  readonly options = {}
  /** Of the host that answered last. */
  #current = 0
  #failure: { at: number; error: unknown } | null = null

  private constructor(pools: Pool[], max: number) {
    this.#pools = pools
    this.#max = max
  }

  /** @param accepts whether a host that follows another one will do */
  static async open(
    location: PostgresLocation,
    options: { max: number; timeouts: Timeouts; acceptsReplica: boolean },
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
      onConnect: (client) => prepare(client, options),
    }
    const pools = hosts.map((host) => new pg.Pool({ ...config, ...host }))
    // A connection that dies in the pool is dropped by it, and whoever asks next gets another.
    for (const pool of pools) pool.on('error', () => {})
    return new Hosts(pools, options.max)
  }

  /** Whether no host could be asked the last time. */
  get isDown(): boolean {
    return this.#failure !== null
  }

  /** Of all of them together. */
  static connections(hosts: readonly Hosts[]): Connections {
    const pools = hosts.flatMap((one) => one.#pools)
    const sum = (of: (pool: Pool) => number) => pools.reduce((total, pool) => total + of(pool), 0)
    return {
      busy: sum((pool) => pool.totalCount - pool.idleCount),
      idle: sum((pool) => pool.idleCount),
      // For a moment, the pool counts those too to whom it is about to give an idle one.
      waiting: sum((pool) => Math.max(0, pool.waitingCount - pool.idleCount)),
    }
  }

  /** @throws StoreUnavailable */
  async connect(): Promise<Session> {
    if (this.#failure && performance.now() - this.#failure.at < REST_MS) throw this.#failure.error
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
        // All connections are in use: the host is well.
        if (pool.totalCount >= this.#max) throw asUnavailable(error)
        failure ??= asUnavailable(error)
      }
    }
    this.#failure = { at: performance.now(), error: failure }
    throw failure
  }

  async end(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.end()))
  }
}

/** As statements, since a pooler in between may refuse them as parameters of the start. */
async function prepare(
  client: PoolClient,
  { timeouts, acceptsReplica }: { timeouts: Timeouts; acceptsReplica: boolean },
): Promise<void> {
  // Without a listener a connection that dies while it is in use would end the process; its query fails anyway.
  client.on('error', () => {})
  const results = (await client.query(`set statement_timeout = ${timeouts.statement};
    set lock_timeout = ${timeouts.lock};
    set idle_in_transaction_session_timeout = ${timeouts.idle};
    select pg_is_in_recovery() as follows`)) as Result[]
  if (results.at(-1)?.rows[0]?.follows === true && !acceptsReplica)
    throw new InRecovery('the server is a replica, which takes no writes')
}
