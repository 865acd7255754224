// Two servers of one board, the networks, disks and clocks that they depend on, and all that can happen to these.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { dayOf, dayStart, nextDay } from '../../archive/format/calendar.ts'
import { openDatabase } from '../../server/database/open.ts'
import { type Clock, system } from '../../server/system/system.ts'
import { urlAt } from '../engines/board.ts'
import { setClocks } from '../support/clock-file.ts'
import {
  type Cluster,
  commitAlone,
  type Replica,
  type Server,
  startCluster,
  statement,
} from '../support/postgres.ts'
import type { Random } from '../support/random.ts'
import { temporaryFolder } from '../support/release.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { type SmallDisk, smallDisk } from '../support/small-disk.ts'
import { startProxy, type Proxy as TcpProxy } from '../support/tcp-proxy.ts'

/** Long ago, so that a command that reads the real clock finds all deadlines passed. */
export const FIRST_DAY = '2025-06-01'
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const NAMED = { BASE_URL: 'https://board.example' }
/** Time passes 50 times as fast as in the test, in steps that no clock guard takes for a fault. */
const TICK_MS = 100
const TICK_PASSES_MS = 5_000
/** Room for the board and its archive, and for each PostgreSQL with its write-ahead log [MiB]. */
const DISK_MIB = { data: 64, postgres: 256 }
/** Left to itself, PostgreSQL keeps up to a gigabyte of log, and ends on so small a disk. */
const SMALL_LOG = { min_wal_size: '32MB', max_wal_size: '64MB' }

/** One server, on a machine of its own on PostgreSQL; on SQLite both are on one. */
interface Machine {
  clockFile: string
  /** Between clients and the server, and between the server and PostgreSQL. */
  clients: TcpProxy
  database: TcpProxy | null
  server: ServerProcess | null
}

type Heal = () => unknown

export class World {
  readonly machines: Machine[] = []
  /** DATA_DIR of the servers and of the runs. */
  readonly dataDir: string
  /** The faults that last, and what ends each. */
  readonly faults = new Map<string, Heal>()
  /** How often each fault has begun. */
  readonly #times = new Map<string, number>()
  readonly #random: Random
  readonly #disks: SmallDisk[]
  readonly #cluster: Cluster | null
  #replica: Replica | null = null
  /** Which the primary is now. */
  #primary: Server | null
  #ticking: NodeJS.Timeout | undefined
  #now = Date.parse(`${FIRST_DAY}T12:00:00Z`)
  #sinceBoot = HOUR_MS
  /** How far the clock of each machine is off [ms]. */
  readonly #steps = [0, 0]

  /** @param hasReplica whether PostgreSQL has a synchronous replica, for a failover */
  static async open(random: Random, onPostgres: boolean, hasReplica = false): Promise<World> {
    const disks = [smallDisk(DISK_MIB.data)]
    if (onPostgres) disks.push(smallDisk(DISK_MIB.postgres * (hasReplica ? 2 : 1)))
    const cluster = onPostgres
      ? await startCluster({ durable: false, folder: disks[1]?.dir as string, settings: SMALL_LOG })
      : null
    if (cluster) await statement(cluster.primary.url(), 'create database board')
    const world = new World(random, disks, cluster)
    if (cluster && hasReplica) world.#replica = await cluster.replicate({ synchronous: true })
    await (await openDatabase(world.database, { clock: world.clock, create: true })).close()
    for (const which of [0, 1]) world.machines.push(await world.#machine(which))
    world.#setClocks()
    for (const which of [0, 1]) await world.#start(which)
    world.#ticking = setInterval(() => world.pass(TICK_PASSES_MS), TICK_MS)
    return world
  }

  private constructor(random: Random, disks: SmallDisk[], cluster: Cluster | null) {
    this.#random = random
    this.#disks = disks
    this.#cluster = cluster
    this.#primary = cluster?.primary ?? null
    this.dataDir = join(disks[0]?.dir as string, 'data')
    mkdirSync(this.dataDir)
  }

  get archiveDir(): string {
    return join(this.dataDir, 'transmissions')
  }

  /** The address of the database, past all proxies. */
  get database(): string {
    return this.#primary?.url('board') ?? join(this.dataDir, 'daysignal.sqlite')
  }

  /** The right time [ms since 1970]. */
  get now(): number {
    return this.#now
  }

  /** The right clocks, for the operator and the runs. */
  get clock(): Clock {
    const now = () => this.#now
    return { ...system.clock, now, ofDatabase: now, sinceBoot: () => this.#sinceBoot }
  }

  /** The variables of the operator and of the runs. */
  get environment(): Record<string, string> {
    const { dataDir, database, isOnPostgres } = this
    return { DATA_DIR: dataDir, ...(isOnPostgres && { DATABASE_URL: database }), ...NAMED }
  }

  get isOnPostgres(): boolean {
    return this.#cluster !== null
  }

  /** The last errors in the logs of the servers. */
  get errors(): string[] {
    return this.machines.flatMap(({ server }) => {
      const lines = server?.log().split('\n') ?? []
      return lines.filter((line) => line.startsWith('{"level":50')).slice(-3)
    })
  }

  /** Lets time pass on all clocks [ms]. */
  pass(ms: number): void {
    this.#now += ms
    this.#sinceBoot += ms
    this.#setClocks()
  }

  /** How long it is until a minute after the end of the day [ms]. */
  get toNight(): number {
    return dayStart(nextDay(dayOf(this.#now))) + MINUTE_MS - this.#now
  }

  /** Lets one of the rarest faults so far begin. Some are over at once; the others last until they are healed. */
  async harm(): Promise<string> {
    const which = this.#random.below(2)
    const harms = this.#harms(which)
    const timesOf = (name: string) => this.#times.get(name) ?? 0
    const names = Object.keys(harms).filter((name) => !this.faults.has(name))
    const least = Math.min(...names.map(timesOf))
    const rarest = names.filter((name) => timesOf(name) === least)
    const name = this.#random.one(rarest)
    this.#times.set(name, least + 1)
    const heal = await harms[name]?.()
    if (heal) this.faults.set(name, heal)
    return name
  }

  /** Ends all faults, the dead servers last. */
  async heal(): Promise<void> {
    const isDead = (name: string) => name.startsWith('server')
    const names = [...this.faults.keys()].sort((a, b) => Number(isDead(a)) - Number(isDead(b)))
    for (const name of names) {
      await this.faults.get(name)?.()
      this.faults.delete(name)
    }
  }

  /** The primary ends, and its replica takes over. */
  async failOver(): Promise<void> {
    const replica = this.#replica as Replica
    await this.#primary?.stop('SIGKILL')
    await replica.promote()
    await commitAlone(replica)
    this.#primary = replica
  }

  /** Stops the servers, works on their data, with a new and empty database, and starts them again. */
  async replaceDatabase(work: () => Promise<void>): Promise<void> {
    for (const { server } of this.machines) await server?.kill()
    const administration = this.#primary?.url() as string
    await statement(administration, 'drop database board with (force)')
    await statement(administration, 'create database board')
    await work()
    for (const which of [0, 1]) await this.#start(which)
  }

  async close(): Promise<void> {
    clearInterval(this.#ticking)
    for (const { server, clients, database } of this.machines) {
      await server?.kill()
      await clients.close()
      await database?.close()
    }
    await this.#cluster?.stop()
    for (const disk of this.#disks) await disk.close()
  }

  #harms(which: number): Record<string, () => Promise<Heal | undefined> | Heal | undefined> {
    const machine = this.machines[which] as Machine
    const { clients, database } = machine
    return {
      [`server ${which} is killed`]: async () => {
        await machine.server?.kill()
        return () => this.#start(which)
      },
      'connections of clients are cut': () => void clients.cut(),
      [`connections of clients to ${which} are stalled`]: () => stall(clients),
      [`clock ${this.isOnPostgres ? which : 0} is stepped`]: () => this.#step(which),
      ...this.#diskHarms(),
      ...(database && {
        'connections to PostgreSQL are cut': () => void database.cut(),
        'the answer to a COMMIT is lost': () => void database.loseAnswer('COMMIT'),
        [`connections of ${which} to PostgreSQL are stalled`]: () => stall(database),
        'PostgreSQL is killed': async () => {
          await this.#cluster?.primary.stop('SIGKILL')
          return () => this.#cluster?.primary.start()
        },
      }),
    }
  }

  #diskHarms() {
    return Object.fromEntries(
      this.#disks
        .filter(({ canFill }) => canFill)
        .map((disk, i) => [
          `disk ${i} is full`,
          () => {
            disk.fill()
            return async () => {
              disk.free()
              // A PostgreSQL that could not write its log has ended.
              await this.#cluster?.primary.start()
            }
          },
        ]),
    )
  }

  /** From now on, time passes only by `pass`. */
  stand(): void {
    clearInterval(this.#ticking)
  }

  /** Lets the wall clock of a server's machine, and nothing else, be off [ms]. */
  setOff(which: number, ms: number): void {
    for (const one of this.isOnPostgres ? [which] : [0, 1]) this.#steps[one] = ms
    this.#setClocks()
  }

  async restart(which: number): Promise<void> {
    await this.machines[which]?.server?.kill()
    await this.#start(which)
  }

  /** Steps a machine's clock by hours. A step forwards of the only machine stays in its records, so time catches up with it. */
  #step(which: number): Heal {
    const ms = Math.round((this.#random.uniform() - 0.5) * 16 * HOUR_MS)
    this.setOff(which, ms)
    return () => {
      this.setOff(which, 0)
      if (!this.isOnPostgres && ms > 0) this.pass(ms)
    }
  }

  #setClocks(): void {
    for (const [which, { clockFile }] of this.machines.entries()) {
      const wall = this.#now + (this.#steps[which] ?? 0)
      setClocks(clockFile, { wall, database: this.#now, sinceBoot: this.#sinceBoot })
    }
  }

  async #machine(which: number): Promise<Machine> {
    const database = this.#cluster ? await startProxy(this.#cluster.primary.port) : null
    const clockFile = join(temporaryFolder(), `clocks-${which}.json`)
    return { clockFile, clients: await startProxy(0), database, server: null }
  }

  async #start(which: number): Promise<void> {
    const machine = this.machines[which] as Machine
    const { database, clients, clockFile } = machine
    const hosts = [database?.port, this.#replica?.port].filter((port) => port !== undefined)
    const address = database ? { DATABASE_URL: urlAt('board', ...hosts) } : {}
    const env = { ...this.environment, ...address }
    const start = () => startServerProcess(env, ['test/support/clocked-server.ts', clockFile])
    // As systemd does: on a busy machine PostgreSQL may not answer in time, and the server ends.
    machine.server = await start().catch(start).catch(start)
    clients.target = Number(new URL(machine.server.url).port)
  }
}

/** Nothing passes for a while; afterwards the connections are of no use, because bytes are missing. */
function stall(proxy: TcpProxy): Heal {
  proxy.isBlack = true
  return () => {
    proxy.isBlack = false
    proxy.cut()
  }
}
