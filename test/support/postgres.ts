// Starts a temporary PostgreSQL for tests: a primary and, on request, replicas. They run as an unprivileged user on free
// ports of the loopback interface, in one temporary folder, and end with this process.
import { type ChildProcess, execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './listen.ts'
import { endProcess } from './programs.ts'
import { released } from './release.ts'
import { until } from './time.ts'
import { chownToUser, runAsUser, startAsUser } from './unprivileged.ts'

const run = promisify(execFile)

const START_TIMEOUT_MS = 30_000

/** Debian installs the programs of each version in a separate folder, which is not on PATH. */
const DEBIAN = '/usr/lib/postgresql'

/** Returns the folder with the programs of the newest installed PostgreSQL, or undefined. */
export function postgresPrograms(): string | undefined {
  if (!existsSync(DEBIAN)) return undefined
  return readdirSync(DEBIAN)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(DEBIAN, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')))
}

export interface Server {
  readonly port: number
  /** @param database `postgres` by default */
  url(database?: string): string
  start(): Promise<void>
  /** @param signal SIGINT (the default) shuts down cleanly, SIGKILL crashes */
  stop(signal?: NodeJS.Signals): Promise<void>
}

export interface Cluster {
  primary: Server
  /** Starts a replica. If `synchronous`, commits on the primary wait for it. */
  replicate(options?: { synchronous?: boolean }): Promise<Replica>
  stop(): Promise<void>
}

export interface Replica extends Server {
  /** Makes the replica a primary. */
  promote(): Promise<void>
}

export interface ClusterOptions {
  /** Whether commits are synced to disk; tests that simulate no power failure need not wait for that. */
  durable: boolean
  /** Where its files are, by default among the other temporary ones. */
  folder?: string
  /** Further settings, as in postgresql.conf; they override those of all tests. */
  settings?: Record<string, string>
}

export async function startCluster({
  durable,
  folder = tmpdir(),
  settings: more = {},
}: ClusterOptions): Promise<Cluster> {
  const programs = postgresPrograms()
  if (!programs) throw new Error('PostgreSQL is not installed')
  const dir = mkdtempSync(join(folder, 'daysignal-postgres-'))
  chownToUser(dir)
  const program = (name: string, ...args: string[]) => runAsUser([join(programs, name), ...args])
  const data = join(dir, 'primary')
  await program('initdb', '-D', data, '-U', 'postgres', ...INITDB)
  const settings = {
    ...SETTINGS,
    unix_socket_directories: dir,
    fsync: durable ? 'on' : 'off',
    full_page_writes: durable ? 'on' : 'off',
    ...more,
  }
  const serverIn = async (folder: string) =>
    localServer(programs, folder, await freePort(), settings)
  const primary = await serverIn(data)
  await primary.start()
  const servers = [primary]
  return {
    primary,
    async replicate({ synchronous = false } = {}) {
      const folder = join(dir, `replica-${servers.length}`)
      const name = `replica${servers.length}`
      const from = `${primary.url().replace(/^postgres:/, 'postgresql:')}?application_name=${name}`
      await program('pg_basebackup', '-d', from, '-D', folder, ...BASEBACKUP)
      const replica = await serverIn(folder)
      await replica.start()
      servers.push(replica)
      if (synchronous)
        await statement(primary.url(), `alter system set synchronous_standby_names = '${name}'`)
      await statement(primary.url(), 'select pg_reload_conf()')
      return Object.assign(replica, {
        promote: async () => {
          await program('pg_ctl', 'promote', '-w', '-D', folder)
        },
      })
    },
    stop: released(async () => {
      for (const server of servers.reverse()) await server.stop()
      rmSync(dir, { recursive: true, force: true })
    }),
  }
}

const INITDB = ['-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync', '--no-instructions']
const BASEBACKUP = ['-R', '-X', 'stream', '-c', 'fast', '--no-sync']

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  shared_buffers: '64MB',
  max_connections: '200',
  wal_level: 'replica',
  max_wal_senders: '4',
  hot_standby: 'on',
  wal_retrieve_retry_interval: '200ms',
}

/** Lets a server commit without a replica. */
export async function commitAlone(server: Server): Promise<void> {
  await statement(server.url(), "alter system set synchronous_standby_names = ''")
  await statement(server.url(), 'select pg_reload_conf()')
}

/** Creates an empty database. @returns its name */
export async function makeDatabase({ primary }: Cluster): Promise<string> {
  const name = `made_${databases++}`
  await statement(primary.url(), `create database ${name}`)
  return name
}
let databases = 0

/** Runs one statement through psql, for administration of the server. */
export async function statement(url: string, text: string): Promise<string> {
  const programs = postgresPrograms() as string
  return (await run(join(programs, 'psql'), ['-qAtX', '-d', url, '-c', text])).stdout.trim()
}

function localServer(
  programs: string,
  folder: string,
  port: number,
  settings: Record<string, string>,
): Server {
  let child: ChildProcess | undefined
  const isReady = () =>
    run(join(programs, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port)]).then(
      () => true,
      () => false,
    )
  return {
    port,
    url: (database = 'postgres') => `postgres://postgres@127.0.0.1:${port}/${database}`,
    async start() {
      const set = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
      const command = [join(programs, 'postgres'), '-D', folder, '-p', String(port), ...set]
      const log = `${folder}.log`
      const isStarted = async () => {
        if (await isReady()) return true
        // After a SIGKILL, what the old server left behind can prevent a start for a moment: try again.
        if (!child || child.exitCode !== null)
          child = startAsUser(command, log, { deathSignal: 'QUIT' })
        return false
      }
      await until(isStarted, START_TIMEOUT_MS).catch(() => {
        throw new Error(`PostgreSQL did not start, see ${log}`)
      })
    },
    async stop(signal = 'SIGINT') {
      const ended = child
      child = undefined
      if (ended) await endProcess(ended, signal)
    },
  }
}
