// npm start: the server, and in the same process its scheduler and its notes of life.
import { randomBytes, randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { serve } from 'h3'
import pino, { type Logger } from 'pino'
import { openReader } from '../archive/reader.ts'
import { ensureArchiveFolder } from '../pipeline/folder.ts'
import { startSchedule } from '../pipeline/schedule.ts'
import { createApp } from './app.ts'
import { type Config, readConfig } from './config.ts'
import { guardEdge, TIMEOUTS } from './http/edge.ts'
import { type Recorder, startRecorder } from './liveness/recorder.ts'
import { readModes } from './modes/queries.ts'
import { combineModes, type Modes } from './modes/rules.ts'
import { startPruning } from './publishing/prune.ts'
import { openStore, type Queryable, type Store } from './store/database.ts'
import { loadDotEnv } from './store/location.ts'
import { originKey } from './store/secrets.ts'

/** Connections still busy after this are cut; with the last note of life, all is over within 10 s. */
const STOP_PATIENCE_MS = 6_000

export interface RunningService {
  /** Where it listens, as in http://127.0.0.1:3000/ */
  url: string
  /** Stops accepting, finishes what is under way, closes the database. */
  stop(): Promise<void>
}

/** Wall time, ms since 1970, and a time that nobody sets, ms. */
export interface Clock {
  now(): number
  monotonic(): number
}

const systemClock: Clock = { now: Date.now, monotonic: () => performance.now() }

/** How soon a switch of the operator is noted: it takes effect at once, and is dated by the note. */
const WATCH_MODES_MS = 500

/** Starts everything. @throws Error with one clear line when something is not as it must be */
export async function startService(
  config: Config,
  log: Logger,
  clock: Clock = systemClock,
): Promise<RunningService> {
  const store = await blaming(config.databaseFrom, openStore(config.database, { create: true }))
  await findArchive(store, config.archiveDir, log)
  const modesIn = async (db: Queryable) => combineModes(await readModes(db), config.forcedModes)
  const modes = () => modesIn(store.db)
  const app = createApp({
    store,
    archive: openReader(config.archiveDir),
    log,
    modes: modesIn,
    now: clock.now,
    baseUrl: config.baseUrl,
    quotas: config.quotas,
    trustedProxies: config.trustedProxies,
    originKey: await originKey(store, randomBytes(32).toString('hex')),
  })
  const server = serve(app, {
    hostname: config.host,
    port: config.port,
    silent: true,
    gracefulShutdown: false,
    node: { ...TIMEOUTS, requireHostHeader: false },
  })
  const nodeServer = server.node?.server as Server
  guardEdge(nodeServer)
  await server.ready().catch((error: NodeJS.ErrnoException) => {
    throw new Error(listenProblem(error, config))
  })
  const recorder = await startRecorder({
    store,
    server: randomUUID(),
    clock,
    log,
    state: modes,
  })
  const watch = watchModes(modes, recorder, log)
  const pruning = startPruning({ store, now: clock.now, log })
  const schedule = startSchedule({
    expression: config.schedule,
    environment: pipelineEnvironment(config),
    log,
  })
  return {
    url: server.url as string,
    stop: async () => {
      const cut = setTimeout(() => nodeServer.closeAllConnections(), STOP_PATIENCE_MS)
      await Promise.all([server.close(), schedule.stop(), pruning.stop()])
      clearTimeout(cut)
      clearInterval(watch)
      await recorder.stop()
      await store.close()
    },
  }
}

/** Names the variable in an error that its value has led to. */
async function blaming<T>(variable: string, work: Promise<T>): Promise<T> {
  return work.catch((error: Error) => {
    throw new Error(`${variable}: ${error.message}`, { cause: error })
  })
}

/** Makes the archive's folder at the first start of all; without it later, the rest of the service goes on. */
async function findArchive(store: Store, archiveDir: string, log: Logger): Promise<void> {
  if (!(await blaming('ARCHIVE_DIR', ensureArchiveFolder(store, archiveDir))))
    log.error(
      { archiveDir },
      'the archive was here once and is missing; restore it, or set ARCHIVE_DIR',
    )
}

function listenProblem({ code, message }: NodeJS.ErrnoException, { host, port }: Config): string {
  if (code === 'EADDRINUSE') return `PORT: ${port} is in use by another program`
  if (code === 'EACCES') return `PORT: ${port} may not be used by this user`
  if (code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL')
    return `HOST: ${host} is not an address of this machine`
  return `HOST, PORT: ${message}`
}

/** What a run of the pipeline is told: this process's environment, with the places made absolute. */
const pipelineEnvironment = (config: Config): NodeJS.ProcessEnv => ({
  ...process.env,
  DATA_DIR: config.dataDir,
  DATABASE_URL: `sqlite:${config.database}`,
  ARCHIVE_DIR: config.archiveDir,
})

/** Has each change of the modes noted as it happens, since coverage and availability tell of it. */
function watchModes(modes: () => Promise<Modes>, recorder: Recorder, log: Logger): NodeJS.Timeout {
  let known: string | undefined
  const look = async () => {
    const current = JSON.stringify(await modes())
    if (known !== undefined && known !== current) await recorder.note()
    known = current
  }
  const timer = setInterval(
    () => void look().catch((err) => log.warn({ err }, 'the modes could not be read')),
    WATCH_MODES_MS,
  )
  return timer.unref()
}

async function main(): Promise<void> {
  loadDotEnv()
  const config = readConfig(process.env)
  const log = pino({ level: config.logLevel })
  const service = await startService(config, log)
  log.info({ url: service.url }, `Daysignal listens on ${service.url}`)
  const stop = (signal: NodeJS.Signals) => {
    log.info(`${signal}: stopping`)
    service.stop().then(
      () => process.exit(0),
      (error) => fail(error),
    )
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

function fail(error: unknown): never {
  console.error(`daysignal: ${error instanceof Error ? error.message : String(error)}`)
  process.exit(1)
}

if (import.meta.main) main().catch(fail)
