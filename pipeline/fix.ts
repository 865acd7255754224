// Fixes the snapshot of a day before anything is rendered, so that the next run can complete a run that was killed at
// any moment, with the same bytes (FORMAT.md 12).
import { contradictionIn, refuseContradiction } from '../archive/format/contradictions.ts'
import { sha256Of } from '../archive/format/hash.ts'
import { manifestName } from '../archive/format/paths.ts'
import { type Snapshot, snapshotBytes } from '../archive/format/snapshot.ts'
import type { FixedSnapshot } from '../archive/writing/staging.ts'
import { logDay, refuseLost } from './log.ts'
import { restoreManifest } from './repair.ts'
import type { DayOutcome, Pipeline } from './session.ts'
import { letDaySettle } from './settle.ts'
import { type Previous, takeSnapshot } from './snapshot.ts'

/** A day whose snapshot is fixed: it no longer changes, even if the run is killed. */
export interface FixedDay {
  snapshot: Snapshot
  /** Which counters the snapshot lacks and why, for messages. */
  notes: string[]
}

/**
 * Fixes the snapshot of a day: that of an interrupted run if there is one, otherwise one taken now.
 * @param pending fixed snapshots of earlier days that are not published yet
 * @returns the fixed day; or its outcome, if it needs no rendering
 */
export async function fixDay(
  pipeline: Pipeline,
  day: string,
  pending: readonly Snapshot[] = [],
): Promise<FixedDay | DayOutcome> {
  const { reader, writer, signal, onProgress } = pipeline
  signal.throwIfAborted()
  const archived = await reader.days()
  if (archived.includes(day)) return { day, status: 'present' }
  const fixed = await writer.fixedSnapshot(day)
  // If only the manifest is lost, rebuild it from the files: rendering the day again without ffmpeg
  // would lose the film.
  if (fixed?.inPlace && (await restoreManifest(pipeline, day))) {
    await logDay(pipeline.log, day)
    return { day, status: 'repaired', message: manifestName(day) }
  }
  refuseLost(pipeline.log, day, fixed?.inPlace ?? false)
  onProgress(day, 'snapshot', 0)
  await letDaySettle(pipeline.database, day, pipeline.clock.now(), signal)
  const previous = await previousOf(pipeline, archived, pending, day)
  if (fixed && isKept(fixed, previous)) {
    // A logged day is restored as it was (FORMAT.md 14.4).
    if (!pipeline.log.leafOf(day)) refuseContradiction(fixed.snapshot)
    return { snapshot: fixed.snapshot, notes: [] }
  }
  if (fixed) await writer.discard(day)
  return takeAndFix(pipeline, day, previous)
}

/**
 * Whether a fixed snapshot is used as it is: always if it is in the day's folder, because a later day may name it. A
 * staged one is discarded if its predecessor has changed because an earlier day was published meanwhile, or if it was
 * changed so that it contradicts itself.
 */
function isKept({ snapshot, inPlace }: FixedSnapshot, previous: Previous): boolean {
  if (inPlace) return true
  return snapshot.previous?.sha256 === previous?.sha256 && contradictionIn(snapshot) === null
}

async function takeAndFix(
  { database, writer, clock }: Pipeline,
  day: string,
  previous: Previous,
): Promise<FixedDay> {
  const { snapshot, failures } = await takeSnapshot(database, day, previous, clock.now())
  const fixed = await writer.stageSnapshot(snapshot)
  const notes = failures.map(({ counters, message }) => `no ${counters.join(', ')}: ${message}`)
  return { snapshot: fixed, notes }
}

/** Finds the newest day before this one that is archived or pending, with the hash of its `<day>.json`. */
async function previousOf(
  { reader, log }: Pipeline,
  archived: readonly string[],
  pending: readonly Snapshot[],
  day: string,
): Promise<Previous> {
  const known = [...archived, ...pending.map((snapshot) => snapshot.day)]
  const earlier = known
    .filter((other) => other < day)
    .sort()
    .at(-1)
  if (earlier === undefined) return null
  const snapshot = pending.find((other) => other.day === earlier)
  if (snapshot) return { day: earlier, sha256: sha256Of(snapshotBytes(snapshot)) }
  const fail = (error: Error) => {
    const message = `cannot name ${earlier} as its predecessor: ${error.message}`
    throw new Error(message, { cause: error })
  }
  await log.refuseChanged(earlier).catch(fail)
  const read = await reader.manifest(earlier).catch(fail)
  return read && { day: earlier, sha256: read.manifest.snapshot_file.sha256 }
}
