// Opens in order what a run needs (database, archive, lock, log, tools), and closes it afterwards.
import type { Tools } from '../../archive/format/manifest.ts'
import type { ClientOptions } from '../../archive/http/client.ts'
import { nameOfArchive } from '../../archive/place/location.ts'
import type { Place } from '../../archive/place/place.ts'
import type { DayLog, UnloggedDay } from '../../archive/writing/day-log.ts'
import { writeSums } from '../../archive/writing/derived.ts'
import type { LogConfig } from '../../server/data/location.ts'
import { lockFolderOf, lockForPipeline, PipelineBusy } from '../../server/data/pipeline-lock.ts'
import { compareWithArchive, lineOfLost } from '../../server/data/restored.ts'
import type { Database } from '../../server/database/database.ts'
import { openDatabase } from '../../server/database/open.ts'
import { recordFailure } from '../../server/database/settings/last-failure.ts'
import type { Clock } from '../../server/system/system.ts'
import type { PipelineConfig } from '../config.ts'
import {
  type Ffmpeg,
  type FfmpegSearch,
  FfmpegShortage,
  findFfmpeg,
} from '../render/find-ffmpeg.ts'
import { loadSharp } from '../render/font.ts'
import { renderPicture } from '../render/picture.ts'
import { RENDERER } from '../render/rendering.ts'
import { renderSound } from '../render/sound.ts'
import { removeWorkFolders } from '../render/work-folder.ts'
import { Witnesses, type WitnessOutcome } from '../witnesses/round.ts'
import { type OpenOptions, openArchive, type RunArchive, refuseMirror } from './archive.ts'
import { openDayLog, verifiersOf } from './signed-log.ts'
import { repairLog } from './signed-log-repair.ts'

export type Stage = 'snapshot' | 'sound' | 'picture' | 'film' | 'seal' | 'verify'

/** The dependencies of a run, which holds the archive's lock. */
export interface Pipeline extends RunArchive {
  database: Database
  log: DayLog
  /** Null when none was found: days are published without a film. */
  ffmpeg: Ffmpeg | null
  /** Why none could be run, if that may pass by itself: days are left to the next run (WRITING.md 1.10). */
  ffmpegShortage: FfmpegShortage | null
  /** The number of days that are rendered at the same time. */
  renderConcurrency: number
  /** Passed in so that tests can share what they have rendered. */
  renderSound: typeof renderSound
  renderPicture: typeof renderPicture
  versions: { node: string; sharp: string }
  clock: Clock
  signal: AbortSignal
  /** Called as a day progresses. @param fraction the completed fraction of the stage, 0 to 1 */
  onProgress(day: string, stage: Stage, fraction: number): void
}

/** The current tools: the versions that this run renders with. */
export function toolsHere({ versions, ffmpeg }: Pipeline): Tools {
  return { renderer: RENDERER, ...versions, ffmpeg: ffmpeg?.version ?? null }
}

/** The result of a run for one day. `message` is for people. */
export interface DayOutcome {
  day: string
  status: 'published' | 'present' | 'repaired' | 'waiting' | 'failed'
  message?: string
}

/**
 * The outcome of a day that failed.
 * @throws the signal's reason when the run was stopped
 */
export function failedOutcome({ signal }: Pipeline, day: string, error: unknown): DayOutcome {
  signal.throwIfAborted()
  return { day, status: 'failed', message: (error as Error).message }
}

/** The part of a run's dependencies that the caller provides. */
export type Context = OpenOptions &
  Pick<Pipeline, 'clock' | 'onProgress'> &
  Partial<Pick<Pipeline, 'renderSound' | 'renderPicture'>> & {
    /** Replace the signing key of the log. */
    rekey?: boolean
    /** Create `index.html`, for plain file servers. */
    indexPage?: boolean
    /** Restore the files of the log first, from a copy if there is one. */
    repair?: { copy: Place | null; onRestored(names: string[]): void }
    /** How the witnesses are asked; by default as any other server. */
    witnessClient?: ClientOptions
    /** Called with what the witnesses have answered. */
    onWitnesses?(outcomes: WitnessOutcome[]): void
    /** Called with the names of the derived files (FORMAT.md 16.3) that the run has written. */
    onDerived?(names: string[]): void
  }

/**
 * Runs `work` as the only pipeline of its archive, after recovering from an interrupted run. Then asks the witnesses, and
 * writes the derived files.
 * @throws Error with one line, before anything is signed or after the work, when a witness knows another log
 * @throws PipelineBusy; Error with one line when the database, the archive or a tool is missing or unusable
 */
export async function withPipeline<T>(
  config: PipelineConfig,
  context: Context,
  work: (pipeline: Pipeline, unlogged: UnloggedDay[]) => Promise<T>,
): Promise<T> {
  // Check this before opening the database, which a mirror does not have.
  if ('dir' in config.archive) await refuseMirror(config.archive.dir)
  const database = await openDatabase(config.database, {
    clock: context.clock,
    create: false,
    dataDir: config.dataDir,
  })
  try {
    // Open the archive before taking the lock: its error for an unwritable place is clearer.
    const archive = await openArchive(database, config, context)
    const release = await lockForPipeline(
      database,
      nameOfArchive(config.archive),
      lockFolderOf(config),
    )
    try {
      return await runLocked(database, archive, config, context, work)
    } finally {
      await release()
    }
  } catch (error) {
    if (!(error instanceof PipelineBusy) && !context.signal.aborted) {
      const failure = { at: context.clock.now(), day: null, message: (error as Error).message }
      // If even this fails, the original error is still reported.
      await recordFailure(database, failure).catch(() => {})
    }
    throw error
  } finally {
    await database.close()
  }
}

/** Runs `work` under the lock, between what comes before the first day and after the last one. */
async function runLocked<T>(
  database: Database,
  archive: RunArchive,
  config: PipelineConfig,
  context: Context,
  work: (pipeline: Pipeline, unlogged: UnloggedDay[]) => Promise<T>,
): Promise<T> {
  const { repair, rekey = false, indexPage = false } = context
  if (repair) repair.onRestored(await repairLog(database, archive, config, repair.copy))
  const keys = config.witnessPolicy?.keys ?? []
  const log = await openDayLog(database, archive.place, config, { rekey, witnesses: keys })
  const witnesses = witnessesOf(config, context, database, log)
  refuseFork(await witnesses?.reasonToStop())
  await removeWorkFolders(archive.workDir)
  const pipeline = await assemble(config, context, database, archive, log)
  const result = await work(pipeline, await resume(pipeline, config, context))
  const outcomes = await witnesses?.ask()
  if (outcomes) context.onWitnesses?.(outcomes)
  const written = await writeSums(pipeline.place, pipeline.reader, indexPage)
  context.onDerived?.(written)
  refuseFork(await witnesses?.reason())
  return result
}

/** The witnesses of the log; null without a policy. */
function witnessesOf(
  { witnessPolicy: policy }: PipelineConfig,
  { clock, signal, witnessClient: client }: Context,
  database: Database,
  log: DayLog,
): Witnesses | null {
  return policy && new Witnesses({ database, log, policy, clock, signal, client })
}

/** @throws Error with the reason why nothing more may be signed, if there is one */
function refuseFork(reason: string | null | undefined): void {
  if (reason) throw new Error(reason)
}

/**
 * Logs the days that an interrupted run has sealed. Before it signs anything, it compares the database with the archive
 * (API.md 9.14).
 */
export async function resume(
  pipeline: Pick<Pipeline, 'database' | 'place' | 'reader' | 'log' | 'clock'>,
  config: LogConfig,
  { warn }: Pick<Context, 'warn'>,
): Promise<UnloggedDay[]> {
  const { database, place, reader, log, clock } = pipeline
  const keysAtHand = (origin: string) => verifiersOf(config, origin)
  const options = { keysAtHand, now: clock.now() }
  const { lost, failures } = await compareWithArchive(database, place, options)
  if (lost) warn(lineOfLost(lost))
  for (const { message } of failures)
    warn(`the database could not be compared with the archive: ${message}`)
  return log.append(await reader.days())
}

async function assemble(
  { ffmpegSearch, nodeVersion, renderConcurrency }: PipelineConfig,
  context: Context,
  database: Database,
  archive: RunArchive,
  log: DayLog,
): Promise<Pipeline> {
  const { clock, signal, onProgress } = context
  const sharp = await loadSharp()
  return {
    clock,
    signal,
    onProgress,
    log,
    database,
    ...archive,
    ...lookForFfmpeg(ffmpegSearch),
    renderConcurrency,
    renderSound: context.renderSound ?? renderSound,
    renderPicture: context.renderPicture ?? renderPicture,
    versions: { node: nodeVersion, sharp: sharp.versions.sharp ?? 'unknown' },
  }
}

function lookForFfmpeg(search: FfmpegSearch): Pick<Pipeline, 'ffmpeg' | 'ffmpegShortage'> {
  try {
    return { ffmpeg: findFfmpeg(search), ffmpegShortage: null }
  } catch (error) {
    if (error instanceof FfmpegShortage) return { ffmpeg: null, ffmpegShortage: error }
    throw error
  }
}
