// Opens in order what a run needs (database, archive, lock, log, tools), and closes it afterwards.
import type { Tools } from '../../archive/format/manifest.ts'
import type { ClientOptions } from '../../archive/http/client.ts'
import { formatVkey } from '../../archive/log/note.ts'
import type { Place } from '../../archive/place/place.ts'
import type { DayLog, UnloggedDay } from '../../archive/writing/day-log.ts'
import { writeSums } from '../../archive/writing/derived.ts'
import type { LogConfig } from '../../server/data/location.ts'
import { lockForPipeline, PipelineBusy } from '../../server/data/pipeline-lock.ts'
import { compareWithArchive, lineOfLost } from '../../server/data/restored.ts'
import type { Database } from '../../server/database/database.ts'
import { openDatabase } from '../../server/database/open.ts'
import { lastFailure } from '../../server/database/settings/settings.ts'
import type { Clock } from '../../server/system/system.ts'
import type { PipelineConfig } from '../config.ts'
import {
  type Ffmpeg,
  type FfmpegSearch,
  FfmpegShortage,
  findFfmpeg,
} from '../render/find-ffmpeg.ts'
import { renderPicture } from '../render/picture.ts'
import { loadSharp } from '../render/png.ts'
import { RENDERER } from '../render/rendering.ts'
import { renderSound } from '../render/sound.ts'
import { removeWorkFolders } from '../render/work-folder.ts'
import { Witnesses, type WitnessOutcome } from '../witnesses/round.ts'
import { openArchive, type RunArchive, refuseMirror } from './archive.ts'
import { openDayLog } from './signed-log.ts'
import { repairLog } from './signed-log-repair.ts'

export type Stage = 'snapshot' | 'sound' | 'picture' | 'film' | 'seal' | 'verify'

/** The dependencies of a run, which holds the archive's lock. */
export interface Run {
  archive: RunArchive
  database: Database
  log: DayLog
  tools: RunTools
  clock: Clock
  signal: AbortSignal
  report: RunReport
}

/** What a run renders days with. */
export interface RunTools {
  renderSound: typeof renderSound
  renderPicture: typeof renderPicture
  /** Null when none was found: days are published without a film. */
  ffmpeg: Ffmpeg | null
  /** Why none could be run, if that may pass by itself: days are left to the next run (WRITING.md 1.10). */
  ffmpegShortage: FfmpegShortage | null
  versions: { node: string; sharp: string }
  /** The number of days that are rendered at the same time. */
  concurrency: number
}

/** What a run tells while it works. */
export interface RunReport {
  /** Called with one line for a problem that does not stop the run. */
  warn(line: string): void
  /** Called as a day progresses. @param fraction the completed fraction of the stage, 0 to 1 */
  progress(day: string, stage: Stage, fraction: number): void
  /** Called with the names of the files of the log that a repair has restored. */
  restored?(names: string[]): void
  /** Called with what the witnesses have answered. */
  witnesses?(outcomes: WitnessOutcome[]): void
  /** Called with the names of the derived files (FORMAT.md 14.3) that the run has written. */
  derived?(names: string[]): void
}

/** The current tools: the versions that this run renders with. */
export function toolsHere({ versions, ffmpeg }: RunTools): Tools {
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
export function failedOutcome({ signal }: Run, day: string, error: unknown): DayOutcome {
  signal.throwIfAborted()
  return { day, status: 'failed', message: (error as Error).message }
}

/** What the caller of a run provides. */
export interface RunOptions {
  clock: Clock
  /** Returns a number from 0 to 1, for the pauses between the tries of a request. */
  random(): number
  signal: AbortSignal
  report: RunReport
  /** Tools to render with instead of those that are found. */
  tools?: Partial<RunTools>
  rekey?: boolean
  /** Create `index.html`, for plain file servers. */
  indexPage?: boolean
  /** Restore the files of the log first, from a copy if there is one. */
  repair?: { copy: Place | null }
  /** How the witnesses are asked; by default as any other server. */
  witnessClient?: ClientOptions
}

/**
 * Runs `work` as the only pipeline of its archive, after recovering from an interrupted run. Then asks the witnesses, and
 * writes the derived files.
 * @throws Error with one line, before anything is signed or after the work, when a witness knows another log
 * @throws PipelineBusy; Error with one line when the database, the archive or a tool is missing or unusable
 */
export async function withPipeline<T>(
  config: PipelineConfig,
  options: RunOptions,
  work: (run: Run, unlogged: UnloggedDay[]) => Promise<T>,
): Promise<T> {
  // Check this before opening the database, which a mirror does not have.
  if ('dir' in config.archive) await refuseMirror(config.archive.dir)
  const database = await openDatabase(config.database, {
    clock: options.clock,
    create: false,
    dataDir: config.dataDir,
  })
  try {
    // Open the archive before taking the lock: its error for an unwritable place is clearer.
    const archive = await openArchive(database, config, options)
    const release = await lockForPipeline(database, config)
    try {
      return await runLocked(database, archive, config, options, work)
    } finally {
      await release()
    }
  } catch (error) {
    if (!(error instanceof PipelineBusy) && !options.signal.aborted) {
      const failure = { at: options.clock.now(), day: null, message: (error as Error).message }
      // If even this fails, the original error is still reported.
      await database.write((tx) => lastFailure.write(tx, failure)).catch(() => {})
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
  options: RunOptions,
  work: (run: Run, unlogged: UnloggedDay[]) => Promise<T>,
): Promise<T> {
  const { report, repair, rekey = false, indexPage = false } = options
  if (repair) {
    const restored = await repairLog(database, archive, config, repair.copy)
    report.restored?.(restored)
  }
  const { witnessPolicy: policy } = config
  const keys = policy?.keys ?? []
  const log = await openDayLog(database, archive.place, config, { rekey, witnesses: keys })
  if (rekey) report.warn(`the log has a new key: ${log.keys.map(formatVkey)[0]}`)
  const { clock, signal, witnessClient: client } = options
  const witnesses = policy && new Witnesses({ database, log, policy, clock, signal, client })
  refuseFork(await witnesses?.reasonToStop())
  await removeWorkFolders(archive.workDir)
  const tools = { ...(await toolsFor(config)), ...options.tools }
  const run = { archive, database, log, tools, clock, signal, report }
  const result = await work(run, await resume(run, config))
  const outcomes = await witnesses?.ask()
  if (outcomes) report.witnesses?.(outcomes)
  const derived = await writeSums(archive.place, archive.reader, indexPage)
  report.derived?.(derived)
  refuseFork(await witnesses?.reason())
  return result
}

/** @throws Error with the reason why nothing more may be signed, if there is one */
function refuseFork(reason: string | null | undefined): void {
  if (reason) throw new Error(reason)
}

/**
 * Logs the days that an interrupted run has sealed. Before it signs anything, it compares the database with the archive
 * (API.md 9.14).
 */
export async function resume(run: Run, config: LogConfig): Promise<UnloggedDay[]> {
  const { archive, database, log, clock, report } = run
  const { lost, problems } = await compareWithArchive(database, archive.place, {
    signingKeyFile: config.signingKeyFile,
    now: clock.now(),
  })
  if (lost) report.warn(lineOfLost(lost))
  for (const { message } of problems)
    report.warn(`the database could not be compared with the archive: ${message}`)
  return log.append(await archive.reader.days())
}

/** Returns the tools of this machine. */
async function toolsFor(config: PipelineConfig): Promise<RunTools> {
  const sharp = await loadSharp()
  return {
    renderSound,
    renderPicture,
    ...lookForFfmpeg(config.ffmpegSearch),
    versions: { node: config.nodeVersion, sharp: sharp.versions.sharp ?? 'unknown' },
    concurrency: config.renderConcurrency,
  }
}

function lookForFfmpeg(search: FfmpegSearch): Pick<RunTools, 'ffmpeg' | 'ffmpegShortage'> {
  try {
    return { ffmpeg: findFfmpeg(search), ffmpegShortage: null }
  } catch (error) {
    if (error instanceof FfmpegShortage) return { ffmpeg: null, ffmpegShortage: error }
    throw error
  }
}
