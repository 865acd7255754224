// Finds the PostgreSQL host to use among several, and connects to it.
import type { PostgresPool } from 'kysely'
import type { PoolClient } from 'pg'
import { loadOptional } from '../../../archive/base/system-error.ts'
import type { Clock } from '../../system/system.ts'
import type { Connections, DatabaseLog } from '../database.ts'
import { Chooser } from './chooser.ts'
import { asUnavailable, NotPrimary } from './errors.ts'
import { type Host, type HostConfig, hostAt } from './host.ts'
import { type ConnectionPool, statementNames } from './pool.ts'
import { cannotTell, type Primary, parseTimeline, type Timelines } from './position.ts'
import { Session, type Timeouts } from './session.ts'
import { nameOfHost, type PostgresLocation } from './url.ts'

/** Timeout for a connection, whether the pool is full or the host does not respond [ms]. */
const CONNECT_TIMEOUT_MS = 3_000
/** How long after the server's statement timeout the client gives up [ms]. */
const CLIENT_GRACE_MS = 500
/** After every host has failed, attempts within this time fail at once with the same error [ms]. */
const BACKOFF_MS = 300
/** How often the other hosts are asked whether one of them has been promoted [ms]. */
const WATCH_EVERY_MS = 5_000

/** The OIDs of int8, int2 and int4. */
const INTEGERS = [20, 21, 23]

export interface HostsOptions {
  timeouts: Timeouts
  clock: Clock
  timelines: Timelines
  log: DatabaseLog | undefined
  max: Readonly<Record<PoolName, number>>
}

type PoolName = 'writers' | 'readers'

/** The host in use, and the connections to it. */
interface Current extends Primary {
  readonly pools: Readonly<Record<PoolName, ConnectionPool>>
}

interface Acquired {
  client: PoolClient
  /** The host that it leads to. */
  current: Current
}

/** Several hosts, of which one is used until it fails, is no longer the primary, or another one has been promoted. */
export class Hosts {
  readonly #chooser: Chooser
  readonly #options: HostsOptions
  #current: Current | null = null
  #choosing: Promise<Current> | null = null
  #failure: { at: number; error: unknown } | null = null
  readonly #watch: NodeJS.Timeout | undefined
  /** Of the statements that readers run. A batch has long ones, whose plans would take megabytes on each connection. */
  readonly #names = statementNames()

  private constructor(hosts: readonly Host[], options: HostsOptions) {
    this.#chooser = new Chooser(hosts, options.timelines, options.log)
    this.#options = options
    if (hosts.length === 1) return
    this.#watch = setInterval(() => void this.#lookForPromotion(), WATCH_EVERY_MS)
    this.#watch.unref()
  }

  /** The first query connects. */
  static async open(location: PostgresLocation, options: HostsOptions): Promise<Hosts> {
    const pg = await loadOptional(() => import('pg'), 'PostgreSQL needs the package pg')
    const { hosts, ...rest } = location
    const config: Omit<HostConfig, 'host' | 'port'> = {
      ...rest,
      application_name: 'daysignal',
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      types: {
        getTypeParser: (oid, format) =>
          INTEGERS.includes(oid) ? BigInt : pg.types.getTypeParser(oid, format),
      },
    }
    const all = hosts.map((at) => hostAt(nameOfHost(at), pg, { ...config, ...at }, options))
    return new Hosts(all, options)
  }

  /** Returns connections of one kind, for transactions with these timeouts. */
  pool(name: PoolName, timeouts: Timeouts): PostgresPool {
    // Kysely remembers each session that it is given. A new one for each query would fill the heap with weak references.
    const sessions = new WeakMap<PoolClient, Session>()
    const connect = async () => {
      const acquired = await this.#acquire(name)
      const known = sessions.get(acquired.client)
      if (known) return known
      const session = this.#sessionOf(acquired, name, timeouts.statement + CLIENT_GRACE_MS)
      sessions.set(acquired.client, session)
      return session
    }
    // Kysely requires options for cancelling queries, which is never done.
    return { options: {}, connect, end: () => this.close() }
  }

  /** Whether every host failed at the last attempt. */
  get isDown(): boolean {
    return this.#failure !== null
  }

  get primary(): Primary | null {
    return this.#current
  }

  connections(): Connections {
    const pools = this.#current ? poolsOf(this.#current) : []
    const sum = (name: keyof Connections) => pools.reduce((total, pool) => total + pool[name], 0)
    return { busy: sum('busy'), idle: sum('idle'), waiting: sum('waiting') }
  }

  /**
   * Checks the timeline that a write transaction has read: behind a pooler, or at an address that has moved, it may be
   * on another host than its connection was at first.
   * @param timeline in hex; null if it was not read
   * @returns the host in use
   * @throws DatabaseUnavailable, so that the write is retried on the host to use by then
   */
  check(timeline: string | null): Primary {
    const current = this.#current
    const read = timeline === null ? null : parseTimeline(timeline)
    if (current && read === (current.position?.timeline ?? null)) return current
    if (current) this.#leave(current)
    throw asUnavailable(new NotPrimary('the database has moved to another host or timeline'))
  }

  /** Converts the error of a statement that has asked for the timeline. A host that no longer tells it is asked again. */
  explain(error: unknown): unknown {
    const current = this.#current
    if (!current?.position || !cannotTell(error)) return error
    this.#leave(current)
    return asUnavailable(new NotPrimary(`${current.host} no longer tells its timeline`))
  }

  /** Closes idle connections now, and the others when they are released. */
  async close(): Promise<void> {
    clearInterval(this.#watch)
    const current = this.#current
    this.#current = null
    if (current) await end(current)
  }

  /** @throws DatabaseUnavailable */
  async #acquire(name: PoolName, isRetry = false): Promise<Acquired> {
    const failure = this.#failure
    if (failure && this.#options.clock.monotonic() - failure.at < BACKOFF_MS) throw failure.error
    const current = await this.#find()
    try {
      const client = await current.pools[name].acquire()
      this.#failure = null
      return { client, current }
    } catch (error) {
      const isGone = error instanceof NotPrimary || !isConnected(current)
      if (isGone) this.#leave(current)
      if (!isGone || isRetry) throw asUnavailable(error)
      return this.#acquire(name, true)
    }
  }

  /** @param timeout of a query [ms] */
  #sessionOf({ client, current }: Acquired, name: PoolName, timeout: number): Session {
    const pool = current.pools[name]
    return new Session(client, {
      timeout,
      nameOf: name === 'readers' && pool.isDirect(client) ? this.#names : null,
      onUnresponsive: () => this.#leave(current),
      release: (destroy) => pool.release(client, destroy),
    })
  }

  /** Connections in use stay open until they are released. */
  #leave(current: Current): void {
    if (this.#current !== current) return
    this.#current = null
    end(current).catch(() => {})
  }

  async #find(): Promise<Current> {
    if (this.#current) return this.#current
    this.#choosing ??= this.#choose().finally(() => {
      this.#choosing = null
    })
    return this.#choosing
  }

  async #choose(): Promise<Current> {
    try {
      const { host, position } = await this.#chooser.choose()
      const poolOf = (name: PoolName) => host.pool(this.#options.max[name], position)
      const pools = { writers: poolOf('writers'), readers: poolOf('readers') }
      this.#current = { host: host.name, position, pools }
      return this.#current
    } catch (error) {
      const failure = asUnavailable(error)
      this.#failure = { at: this.#options.clock.monotonic(), error: failure }
      throw failure
    }
  }

  /** Leaves the host in use once another one has been promoted: its own history has ended, even if it still responds. */
  async #lookForPromotion(): Promise<void> {
    const current = this.#current
    if (current && (await this.#chooser.isOutdated(current))) this.#leave(current)
  }
}

const poolsOf = ({ pools }: Current): ConnectionPool[] => Object.values(pools)
const isConnected = (current: Current): boolean => poolsOf(current).some((pool) => pool.isConnected)
const end = async (current: Current): Promise<void> => {
  await Promise.all(poolsOf(current).map((pool) => pool.end()))
}
