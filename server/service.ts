// Starts and stops the service: database, archive, HTTP server, heartbeats and schedule.
import { existsSync } from 'node:fs'
import type { Logger } from 'pino'
import { blame } from '../archive/base/blame.ts'
import { isArchiveError, nullIf } from '../archive/errors.ts'
import type { MirrorSettings } from '../archive/format/mirror.ts'
import { verifierOf } from '../archive/log/note.ts'
import { hasSigningKey, readSigningKeys } from '../archive/log/signing-keys.ts'
import { nameOfArchive } from '../archive/place/location.ts'
import {
  type ArchiveReader,
  openReader,
  openReaderAt,
  openStatingPlace,
} from '../archive/reading/reader.ts'
// The only import of the pipeline: the start joins the server and the schedule of runs.
import { checkRuns, type Schedule, startSchedule } from '../pipeline/schedule.ts'
import { createApp } from './app.ts'
import { ClockGuard } from './clock/guard.ts'
import type { Config } from './config.ts'
import { ARCHIVE_MISSING, ensureArchiveFolder } from './database/archive-folder.ts'
import type { Database } from './database/database.ts'
import { nameOfDatabase } from './database/location.ts'
import { openDatabase } from './database/open.ts'
import { isPostgresUrl } from './database/postgres/url.ts'
import { originKey } from './database/settings/secrets.ts'
import { isEmptyFile } from './database/sqlite/driver.ts'
import { Transport } from './http/transport.ts'
import { listen } from './listen.ts'
import { type RecorderOptions, startRecorder } from './liveness/recorder.ts'
import { startLogKeys } from './log-keys.ts'
import { collectWhenIdle } from './memory.ts'
import { startMetrics } from './metrics/listen.ts'
import { CurrentModes } from './modes/current.ts'
import type { Modes } from './modes/rules.ts'
import { watchModes } from './modes/watch.ts'
import { summariseOutages } from './outages.ts'
import type { WriteGuard } from './publishing/guards.ts'
import { originOfPeer } from './publishing/origin.ts'
import { startPruning } from './publishing/prune.ts'
import { type RestoreGuard, startRestoreGuard } from './restore-guard.ts'
import type { System } from './system.ts'
import { startLastDayCheck } from './transmissions/last-day-check.ts'
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
  const log = summariseOutages(processLog)
  const { clock, randomHex } = system
  const { host, port, metricsPort } = config
  checkRuns(config.pipelineEnvironment)
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
  const modes = new CurrentModes(database, forced, clockGuard)
  const metrics =
    metricsPort === undefined
      ? null
      : await startMetrics(
          { host, port: metricsPort },
          { database, archive, log, clock, clockGuard },
        )
  const logKeys = mirror
    ? null
    : await startLogKeys({ ...config, database, archive, origin: config.newLogOrigin, log })
  const guards: WriteGuard[] = []
  const restoreGuard = mirror ? null : await guardRestores(database, config, system, log)
  if (restoreGuard) guards.push(restoreGuard.guard)
  let stopping = false
  let schedule: Schedule | undefined
  const app = createApp({
    database,
    archive,
    log,
    modes,
    clock,
    randomHex,
    guards,
    clockGuard,
    isStopping: () => stopping,
    nextSnapshot: () => schedule?.nextRun() ?? null,
    isMirror: mirror !== null,
    baseUrl: config.baseUrl,
    operatorContact: config.operatorContact,
    mirrors: config.mirrors,
    witnessPolicy: config.witnessPolicy,
    quotas: config.quotas,
    trustedProxies: config.trustedProxies,
    originKey: await originKey(database, randomHex(ORIGIN_KEY_BYTES)),
    cacheDir: config.cacheDir,
    mediaRedirect: config.mediaRedirect,
    signingKeyFile: config.signingKeyFile,
    hasReceipts: () => logKeys?.hasKeys() ?? false,
    metrics,
  })
  const transport = new Transport(app, {
    log,
    originOf: (peer) => originOfPeer(peer, config.trustedProxies),
  })
  const url = await listen(transport, { host, port, variable: 'PORT' })
  const heartbeats = await startHeartbeats(
    database,
    { modes: () => modes.in(database.db), guards, clockGuard },
    system,
    log,
  )
  const memory = collectWhenIdle()
  const pruning = startPruning({ database, clockGuard, log })
  const lastDayCheck = mirror ? null : startLastDayCheck({ db: database.db, archive, log })
  schedule = startSchedule({
    expression: mirror ? undefined : config.schedule,
    isWitnessed: config.witnessPolicy !== null,
    newestFirst: config.newestFirst,
    environment: config.pipelineEnvironment,
    log,
  })
  const isWaiting = restoreGuard?.isWaiting() ?? false
  log.info({ url }, `Daysignal listens on ${url}`)
  for (const line of summaryOf(config, mirror, await modes.now(), schedule.nextRun(), isWaiting))
    log.info(line)
  return {
    url,
    stop: async () => {
      stopping = true
      await Promise.all([transport.stop(STOP_TIMEOUT_MS), schedule.stop(), pruning.stop()])
      await metrics?.stop(STOP_TIMEOUT_MS)
      memory.stop()
      logKeys?.stop()
      await lastDayCheck?.stop()
      await restoreGuard?.stop()
      await heartbeats.stop()
      await database.close()
    },
  }
}

/** Starts comparing the database with the archive, which the service only reads. */
async function guardRestores(
  database: Database,
  { archive: location, signingKeyFile }: Config,
  system: System,
  log: Logger,
): Promise<RestoreGuard> {
  const archive = await openStatingPlace(location, randomFrom(system))
  const keysAtHand = (origin: string) => {
    try {
      return hasSigningKey(signingKeyFile)
        ? readSigningKeys(signingKeyFile).map((key) => verifierOf(origin, key))
        : []
    } catch (error) {
      log.warn((error as Error).message)
      return []
    }
  }
  return startRestoreGuard({ database, archive, keysAtHand, clock: system.clock, log })
}

/** Starts writing heartbeats, with an extra one at each change of the modes. */
async function startHeartbeats(
  database: Database,
  {
    modes,
    ...guards
  }: { modes: () => Promise<Modes> } & Pick<RecorderOptions, 'guards' | 'clockGuard'>,
  { randomHex }: System,
  log: Logger,
): Promise<{ stop(): Promise<void> }> {
  const server = randomHex(SERVER_ID_BYTES)
  const recorder = await startRecorder({ database, server, log, state: modes, ...guards })
  const watch = watchModes({ modes, onChange: recorder.beat, log })
  return {
    async stop() {
      watch.stop()
      await recorder.stop()
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
    nextRun ? `Next snapshot at ${minuteOf(nextRun)} UTC` : 'No snapshots are scheduled',
  ]
}

/** The source that the archive mirrors; null if it is not a mirror or cannot be read now. */
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
  const archive = await openReaderAt(location, random)
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
    return openReader(dir)
  }
  const archive = await openReaderAt(location, random)
  await archive.days().catch((error: Error) => log.error(`the archive: ${error.message}`))
  return archive
}
