// Starts and stops the service: database, archive, HTTP server, heartbeats and schedule.
import { existsSync } from 'node:fs'
import type { Logger } from 'pino'
import { blame } from '../archive/base/base-address.ts'
import { isArchiveError, nullIf } from '../archive/base/errors.ts'
import type { MirrorSettings } from '../archive/format/mirror.ts'
import { nameOfArchive } from '../archive/place/location.ts'
import { type ArchiveReader, openReader } from '../archive/reading/reader.ts'
// The only import of the pipeline: the start joins the server and the schedule of runs.
import { checkRuns, type Schedule, startSchedule } from '../pipeline/schedule/schedule.ts'
import { createApp } from './app.ts'
import { ClockGuard } from './clock/guard.ts'
import type { Config } from './config.ts'
import { ARCHIVE_MISSING, ensureArchiveFolder } from './data/archive-folder.ts'
import { startLastDayCheck } from './data/last-day-check.ts'
import type { WriteGuard } from './data/restore-guard.ts'
import { MIRROR, startWritableBoard } from './data/writable-board.ts'
import type { Database } from './database/database.ts'
import { nameOfDatabase, openDatabase } from './database/open.ts'
import { summariseOutages } from './database/outage-log.ts'
import { isPostgresUrl } from './database/postgres/url.ts'
import { originKey } from './database/settings/settings.ts'
import { isEmptyFile } from './database/sqlite/driver.ts'
import { Transport } from './http/transport.ts'
import { startRecorder } from './liveness/heartbeat.ts'
import type { Metrics } from './metrics/metrics.ts'
import { type CurrentModes, currentModes, watchModes } from './modes/current.ts'
import type { Modes } from './modes/rules.ts'
import { originOfPeer } from './publishing/origin.ts'
import { startPruning } from './publishing/prune.ts'
import { collectWhenIdle } from './system/memory.ts'
import type { Clock, System } from './system/system.ts'
import { minuteOf } from './transmissions/rules.ts'

/** Connections still busy after this are closed; the rest of a stop takes at most 4 s [ms]. */
const STOP_TIMEOUT_MS = 6_000

const ORIGIN_KEY_BYTES = 32
const SERVER_ID_BYTES = 8
const RANDOM_BYTES = 4

export interface RunningService {
  /** The URL that it listens on, such as http://127.0.0.1:3000/ */
  url: string
  /** Stops accepting connections, finishes the requests in flight and closes the database. */
  stop(): Promise<void>
}

/**
 * Starts everything.
 * @throws Error with one clear line that names the variable at fault, if there is one
 */
export async function startService(
  config: Config,
  processLog: Logger,
  system: System,
): Promise<RunningService> {
  checkRuns(config.pipelineEnvironment)
  const context = await openContext(config, summariseOutages(processLog), system)
  const { database, log, modes, mirror } = context
  const { host, port, trustedProxies } = config
  const metrics = await metricsOf(config, context)
  const board = mirror ? MIRROR : await startWritableBoard(context, config, randomFrom(system))
  let isStopping = false
  let schedule: Schedule | undefined
  const app = createApp({
    ...config,
    ...context,
    ...board,
    randomHex: system.randomHex,
    isStopping: () => isStopping,
    nextSnapshot: () => schedule?.nextRun() ?? null,
    isMirror: mirror !== null,
    originKey: await originKey(database, system.randomHex(ORIGIN_KEY_BYTES)),
    metrics,
  })
  const transport = new Transport(app, {
    log,
    originOf: (peer) => originOfPeer(peer, trustedProxies),
  })
  const url = await transport.listen({ host, port, variable: 'PORT' })
  const heartbeats = await startHeartbeats(context, board.restoreGuard, system)
  const background = startBackground(context)
  schedule = startSchedule({ ...scheduleOf(config, mirror), log })
  log.info({ url }, `Daysignal listens on ${url}`)
  const lines = summaryOf(config, mirror, await modes.now(), schedule.nextRun(), board.isWaiting())
  for (const line of lines) log.info(line)
  return {
    url,
    stop: async () => {
      isStopping = true
      await Promise.all([transport.stop(STOP_TIMEOUT_MS), schedule.stop(), background.stop()])
      await metrics?.stop(STOP_TIMEOUT_MS)
      await board.stop()
      await heartbeats.stop()
      await database.close()
    },
  }
}

interface ServiceContext {
  database: Database
  archive: ArchiveReader
  /** The source that the archive mirrors; null if it is not a mirror or cannot be read now. */
  mirror: MirrorSettings | null
  modes: CurrentModes
  clock: Clock
  clockGuard: ClockGuard
  log: Logger
}

async function openContext(config: Config, log: Logger, system: System): Promise<ServiceContext> {
  const { clock } = system
  await rejectEmptyDatabase(config, randomFrom(system))
  const database = await openDatabase(config.database, {
    clock,
    create: true,
    dataDir: config.dataDir,
    log,
  }).catch((error) => blame(config.databaseFrom, error))
  const clockGuard = new ClockGuard(clock, log)
  const archive = await findArchive(database, config, randomFrom(system), log)
  const mirror = await mirrorIn(archive)
  // A mirror gets its days from its source and has no records of its own.
  const forced = mirror ? { ...config.forcedModes, readOnly: true } : config.forcedModes
  const modes = currentModes(database, forced, clockGuard)
  return { database, archive, mirror, modes, clock, clockGuard, log }
}

async function metricsOf(
  { host, metricsPort: port, witnessPolicy }: Config,
  context: ServiceContext,
): Promise<Metrics | null> {
  if (port === undefined) return null
  const { startMetrics } = await import('./metrics/metrics.ts')
  return startMetrics({ host, port }, { ...context, witnessPolicy })
}

const scheduleOf = (config: Config, mirror: MirrorSettings | null) => ({
  expression: mirror ? undefined : config.schedule,
  isWitnessed: config.witnessPolicy !== null,
  newestFirst: config.newestFirst,
  environment: config.pipelineEnvironment,
})

/** Starts writing heartbeats, with an extra one at each change of the modes. */
async function startHeartbeats(
  { database, modes, clockGuard, log }: ServiceContext,
  restoreGuard: WriteGuard,
  { randomHex }: System,
): Promise<{ stop(): Promise<void> }> {
  const server = randomHex(SERVER_ID_BYTES)
  const state = () => modes.in(database.db)
  const recorder = await startRecorder({ database, server, log, state, restoreGuard, clockGuard })
  const watch = watchModes({ modes: state, onChange: recorder.beat, log })
  return {
    async stop() {
      watch.stop()
      await recorder.stop()
    },
  }
}

/** Starts the work that no request waits for. */
function startBackground({ database, archive, mirror, clockGuard, log }: ServiceContext): {
  stop(): Promise<void>
} {
  const memory = collectWhenIdle()
  const pruning = startPruning(database, clockGuard, log)
  const check = mirror ? null : startLastDayCheck({ db: database.db, archive, log })
  return {
    async stop() {
      memory.stop()
      await Promise.all([pruning.stop(), check?.stop()])
    },
  }
}

/** Random numbers from 0 up to, but not including, 1. */
const randomFrom =
  ({ randomHex }: System) =>
  (): number =>
    Number.parseInt(randomHex(RANDOM_BYTES), 16) / 2 ** (8 * RANDOM_BYTES)

/** The log lines that tell an operator how the service is configured. */
function summaryOf(
  config: Config,
  mirror: MirrorSettings | null,
  modes: Modes,
  nextRun: Date | null,
  isWaiting: boolean,
): string[] {
  const condition = isWaiting ? ' once the database has been compared with the archive' : ''
  const off = modes.disabled.length > 0 ? `; switched off: ${modes.disabled.join(', ')}` : ''
  return [
    ...(mirror ? [`Read-only mirror of ${mirror.source}`] : []),
    `Database ${nameOfDatabase(config.database)}`,
    `Archive ${nameOfArchive(config.archive)}`,
    `${modes.readOnly ? 'Read-only' : `Open for writing${condition}`}${off}`,
    ...(config.operatorContact === undefined
      ? ['OPERATOR_CONTACT is not set: /moderation does not tell readers how to reach you']
      : []),
    nextRun ? `Next snapshot at ${minuteOf(nextRun)} UTC` : 'No snapshots are scheduled',
  ]
}

const mirrorIn = (archive: ArchiveReader): Promise<MirrorSettings | null> =>
  archive
    .mirror()
    // Without its archive, the service still serves the board.
    .catch(nullIf('archive_unavailable'))
    .catch((error) => blame('ARCHIVE_DIR', error))

/**
 * Rejects an empty database file next to an archive with days: their records are lost, and the next run would seal days
 * without records after them. A mirror has no records.
 * @throws Error with one line
 */
async function rejectEmptyDatabase(
  { database, databaseFrom, archive: location }: Config,
  random: () => number,
): Promise<void> {
  if (isPostgresUrl(database) || !isEmptyFile(database)) return
  if ('dir' in location && !existsSync(location.dir)) return
  const archive = await openReader(location, random)
  if ((await archive.days()).length === 0 || (await archive.mirror())) return
  const remedy = 'restore the backup, or delete the file to begin with an empty board'
  blame(databaseFrom, new Error(`${database}: is empty, but the archive has days; ${remedy}`))
}

/** Creates the archive's folder at the very first start. If it is missing later, only the board is served. */
async function findArchive(
  database: Database,
  { archive: location, databaseFrom }: Config,
  random: () => number,
  log: Logger,
): Promise<ArchiveReader> {
  if ('dir' in location) {
    const { dir } = location
    const ensured = ensureArchiveFolder(database, dir).catch((error) =>
      blame(isArchiveError(error) ? 'ARCHIVE_DIR' : databaseFrom, error),
    )
    if (!(await ensured)) log.error({ archiveDir: dir }, ARCHIVE_MISSING)
  }
  const archive = await openReader(location, random)
  if ('bucket' in location)
    await archive.days().catch((error: Error) => log.error(`the archive: ${error.message}`))
  return archive
}
