// A bounded pool of connections to one PostgreSQL host, which makes do with those it has while the host refuses more.
import type { Client, Pool, PoolClient, PoolConfig } from 'pg'
import type { Clock } from '../../system/system.ts'
import { isTimeout, NotPrimary } from './errors.ts'

/** After a refusal, the pool does not grow for this long [ms]. */
const NO_GROWTH_MS = 1_000

export interface ConnectionPoolOptions {
  config: PoolConfig & { max: number; connectionTimeoutMillis: number }
  clock: Clock
  /**
   * Called with each new connection before it is first used. If it throws, the connection is closed.
   * @returns whether it is not behind a pooler
   */
  prepare(client: Client): Promise<boolean>
}

export class ConnectionPool {
  readonly #pool: Pool
  readonly #max: number
  readonly #options: ConnectionPoolOptions
  /** Whether each prepared connection is not behind a pooler. */
  readonly #prepared = new WeakMap<Client, boolean>()
  #busy = 0
  #isEnded = false
  #growsAt = 0

  /** Connects at the first `acquire`. */
  constructor(Pool: new (config: PoolConfig) => Pool, options: ConnectionPoolOptions) {
    this.#pool = new Pool(options.config)
    this.#max = options.config.max
    this.#options = options
    // The pool itself replaces a connection that dies while it is idle.
    this.#pool.on('error', () => {})
  }

  /**
   * Returns a connection, which the caller releases.
   * @throws the driver's error, or that of `prepare`
   */
  async acquire(): Promise<PoolClient> {
    const client = await this.#connect()
    if (!this.#prepared.has(client))
      try {
        this.#prepared.set(client, await this.#options.prepare(client))
      } catch (error) {
        client.release(true)
        throw error
      }
    this.#busy++
    return client
  }

  /** Whether an acquired connection is not behind a pooler. */
  isDirect(client: PoolClient): boolean {
    return this.#prepared.get(client) === true
  }

  release(client: PoolClient, destroy: boolean): void {
    this.#busy--
    client.release(destroy)
  }

  /** Waits for a connection of its own while the host refuses further ones. */
  async #connect(): Promise<PoolClient> {
    const { clock } = this.#options
    const deadline = clock.monotonic() + this.#options.config.connectionTimeoutMillis
    for (;;) {
      if (clock.monotonic() >= this.#growsAt) this.#pool.options.max = this.#max
      try {
        return await this.#pool.connect()
      } catch (error) {
        if (this.#isEnded) throw new NotPrimary('another host is used by now')
        if (!this.isConnected || isTimeout(error) || clock.monotonic() >= deadline) throw error
        this.#pool.options.max = this.#busy + this.idle
        this.#growsAt = clock.monotonic() + NO_GROWTH_MS
      }
    }
  }

  /** Whether it has a connection. One that is about to be opened does not count, as it may be refused. */
  get isConnected(): boolean {
    return this.#busy + this.idle > 0
  }

  /** Connections in use or about to be opened. */
  get busy(): number {
    return this.#pool.totalCount - this.#pool.idleCount
  }

  get idle(): number {
    return this.#pool.idleCount
  }

  /** Requests for a connection while all are busy. */
  get waiting(): number {
    // The pool briefly counts requests that are about to get an idle connection.
    return Math.max(0, this.#pool.waitingCount - this.#pool.idleCount)
  }

  /** Closes idle connections now, and the others when they are released. */
  async end(): Promise<void> {
    this.#isEnded = true
    await this.#pool.end()
  }
}

/** Far more than the service has queries; the server keeps the plans of all on each connection. */
const MAX_NAMES = 200

/** Returns a function that returns the name of a statement; undefined once too many statements have one. */
export function statementNames() {
  const names = new Map<string, string>()
  return (text: string): string | undefined => {
    const known = names.get(text)
    if (known !== undefined || names.size >= MAX_NAMES) return known
    const name = `statement ${names.size + 1}`
    names.set(text, name)
    return name
  }
}
