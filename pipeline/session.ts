// What a run works with, opened in order and closed again: database, folder, lock, tools.
import type { Tools } from '../archive/format/manifest.ts'
import { nameOfArchive } from '../archive/place/location.ts'
import type { DayLog } from '../archive/writing/log.ts'
import type { Recovery } from '../archive/writing/seal.ts'
import { openStore, type Store } from '../server/store/database.ts'
import { recordFailure } from '../server/store/last-failure.ts'
import { lockFolderOf, type OpenOptions, openArchive, type RunArchive } from './archive.ts'
import type { PipelineConfig } from './config.ts'
import type { Copy } from './copy.ts'
import { writeDerived } from './derived.ts'
import { refuseMirror } from './folder.ts'
import { lockForPipeline, PipelineBusy } from './lock.ts'
import { daysToLog, openDayLog } from './log.ts'
import { type Ffmpeg, findFfmpeg, findFfmpegs } from './render/find-ffmpeg.ts'
import { loadSharp } from './render/font.ts'
import { RENDERER } from './render/rendering.ts'
import { repairLog } from './repair-log.ts'
import { removeWorkFolders } from './work-folder.ts'

export type Stage = 'snapshot' | 'sound' | 'picture' | 'film' | 'seal' | 'verify'

/** What a run works with. It holds the archive's lock. */
export interface Pipeline extends RunArchive {
  store: Store
  log: DayLog
  /** Null: days are made without a film. */
  ffmpeg: Ffmpeg | null
  /** Every ffmpeg that can be found, for a film that must have the bytes of one made before. */
  ffmpegs(): Ffmpeg[]
  /** How many days are rendered at once. */
  renderConcurrency: number
  versions: { node: string; sharp: string }
  /** Wall time, ms since 1970. */
  now(): number
  signal: AbortSignal
  /** Is called as a day goes through its stages. @param fraction the part of the stage that is done */
  onProgress(day: string, stage: Stage, fraction: number): void
}

/** The versions that media made now are rendered with. */
export function toolsHere({ versions, ffmpeg }: Pipeline): Tools {
  return { renderer: RENDERER, ...versions, ffmpeg: ffmpeg?.version ?? null }
}

/** What became of a day; `message` is for people. */
export interface DayOutcome {
  day: string
  status: 'published' | 'present' | 'repaired' | 'failed'
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

/** What the caller brings. */
export type Context = OpenOptions &
  Pick<Pipeline, 'now' | 'signal' | 'onProgress'> & {
    /** Signs with a new key from now on. */
    rekey?: boolean
    /** Writes the page that a plain file server shows. */
    indexPage?: boolean
    /** Restores the files of the log first, also from a copy where there is one. */
    repair?: { copy: Copy | null; onRestored(names: string[]): void }
    /** Is called with the names of the derived files (FORMAT.md 16.3) that the run has written. */
    onDerived?(names: string[]): void
  }

/**
 * Runs `work` as the only pipeline of its archive, after finishing what a kill interrupted.
 * @throws PipelineBusy; Error with one clear line when the database, the archive or a tool is not as it must be
 */
export async function withPipeline<T>(
  config: PipelineConfig,
  context: Context,
  work: (pipeline: Pipeline, recovery: Recovery) => Promise<T>,
): Promise<T> {
  // Before the database, which a mirror does not have.
  if ('dir' in config.archive) await refuseMirror(config.archive.dir)
  const store = await openStore(config.database, { create: false })
  try {
    // Before the lock: its error for a place that cannot be written is the clearer one.
    const archive = await openArchive(store, config, context)
    const release = await lockForPipeline(
      store,
      nameOfArchive(config.archive),
      lockFolderOf(config),
    )
    try {
      const { repair } = context
      if (repair) repair.onRestored(await repairLog(store, archive, config, repair.copy))
      const log = await openDayLog(store, archive.place, config, context)
      await removeWorkFolders(archive.workDir)
      const pipeline = await assemble(config, context, store, archive, log)
      const { completed, failed } = await archive.writer.recover()
      const unlogged = await log.append(await daysToLog(pipeline))
      const result = await work(pipeline, { completed, failed: [...failed, ...unlogged] })
      const derived = await writeDerived(pipeline, context.indexPage ?? false)
      context.onDerived?.(derived)
      await archive.memory?.save().catch((error) => context.warn((error as Error).message))
      return result
    } finally {
      await release()
    }
  } catch (error) {
    if (!(error instanceof PipelineBusy) && !context.signal.aborted) {
      const failure = { at: context.now(), day: null, message: (error as Error).message }
      // What failed is reported all the same.
      await recordFailure(store, failure).catch(() => {})
    }
    throw error
  } finally {
    await store.close()
  }
}

async function assemble(
  { archive: location, ffmpegSearch, nodeVersion, renderConcurrency }: PipelineConfig,
  context: Context,
  store: Store,
  archive: RunArchive,
  log: DayLog,
): Promise<Pipeline> {
  const { now, signal, onProgress } = context
  const sharp = await loadSharp()
  let ffmpegs: Ffmpeg[] | undefined
  return {
    now,
    signal,
    onProgress,
    log,
    store,
    ...archive,
    ffmpeg: findFfmpeg(ffmpegSearch),
    ffmpegs: () => {
      ffmpegs ??= [...findFfmpegs(ffmpegSearch)]
      return ffmpegs
    },
    // In a store a fixed snapshot stays: none is fixed before the day that it names as previous is sealed.
    renderConcurrency: 'dir' in location ? renderConcurrency : 1,
    versions: { node: nodeVersion, sharp: sharp.versions.sharp ?? 'unknown' },
  }
}
