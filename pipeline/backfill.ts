// Publishes several days. Snapshots are fixed in ascending order, since each names the one before; rendering overlaps.
import type { Snapshot } from '../archive/format/snapshot.ts'
import { type FixedDay, fixDay } from './fix.ts'
import { type RenderedDay, renderDay, sealDay } from './publish.ts'
import { type DayOutcome, failedOutcome, type Pipeline } from './session.ts'

/** A day in progress: being rendered, or with an early outcome. */
interface DayInProgress {
  day: string
  work: DayOutcome | { fixed: FixedDay; rendering: Promise<RenderedDay> }
}

/**
 * Publishes days that have ended, and seals them in ascending order. A day that fails does not stop the others.
 * @param days ascending
 * @param report called with the outcome of each day, in order
 * @throws the signal's reason when aborted; it leaves whole days, and snapshots that the next run continues from
 */
export async function publishDays(
  pipeline: Pipeline,
  days: readonly string[],
  report: (outcome: DayOutcome) => void,
): Promise<void> {
  const inProgress: DayInProgress[] = []
  const finishFirst = async () => {
    const outcome = await finish(pipeline, inProgress.shift()!)
    report(outcome)
    if (outcome.status === 'failed') await restart(pipeline, inProgress)
  }
  try {
    for (const day of days) {
      inProgress.push(await begin(pipeline, day, snapshotsOf(inProgress)))
      if (inProgress.length >= pipeline.renderConcurrency) await finishFirst()
    }
    while (inProgress.length > 0) await finishFirst()
  } finally {
    // After an abort, let no ffmpeg outlive the run.
    await settled(inProgress)
  }
}

/**
 * Publishes days that have ended, newest first, after fixing all their snapshots. Until the oldest is sealed, days name
 * predecessors that are not published yet (FORMAT.md 10.2). The next run retries a failed day with its fixed snapshot.
 * @param days ascending
 * @param report called with the outcome of each day
 * @throws the signal's reason when aborted; it leaves whole days, and snapshots that the next run continues from
 */
export async function publishNewestFirst(
  pipeline: Pipeline,
  days: readonly string[],
  report: (outcome: DayOutcome) => void,
): Promise<void> {
  const fixed: FixedDay[] = []
  for (const day of days) {
    const pending = fixed.map(({ snapshot }) => snapshot)
    const result = await tryToFix(pipeline, day, pending)
    if ('status' in result) report(result)
    else fixed.push(result)
  }
  const inProgress: DayInProgress[] = []
  const finishNext = async () => report(await finish(pipeline, inProgress.shift()!))
  try {
    for (const day of fixed.reverse()) {
      inProgress.push(startRendering(pipeline, day))
      if (inProgress.length >= pipeline.renderConcurrency) await finishNext()
    }
    while (inProgress.length > 0) await finishNext()
  } finally {
    await settled(inProgress)
  }
}

/** Fixes a day's snapshot and starts rendering it. */
async function begin(
  pipeline: Pipeline,
  day: string,
  pending: readonly Snapshot[],
): Promise<DayInProgress> {
  const fixed = await tryToFix(pipeline, day, pending)
  return 'status' in fixed ? { day, work: fixed } : startRendering(pipeline, fixed)
}

async function tryToFix(
  pipeline: Pipeline,
  day: string,
  pending: readonly Snapshot[],
): Promise<FixedDay | DayOutcome> {
  try {
    return await fixDay(pipeline, day, pending)
  } catch (error) {
    return failedOutcome(pipeline, day, error)
  }
}

function startRendering(pipeline: Pipeline, fixed: FixedDay): DayInProgress {
  const rendering = renderDay(pipeline, fixed.snapshot)
  // `finish` handles a failure when it is the day's turn.
  rendering.catch(() => {})
  return { day: fixed.snapshot.day, work: { fixed, rendering } }
}

async function finish(pipeline: Pipeline, { day, work }: DayInProgress): Promise<DayOutcome> {
  if ('status' in work) return work
  try {
    const notes = [...work.fixed.notes, ...(await sealDay(pipeline, await work.rendering))]
    return { day, status: 'published', ...(notes.length > 0 && { message: notes.join('; ') }) }
  } catch (error) {
    return failedOutcome(pipeline, day, error)
  }
}

/**
 * Restarts the days after a failed one, because their snapshots name a predecessor that is not published.
 * @param inProgress changed in place, so that an abort half-way leaves every rendering in it
 */
async function restart(pipeline: Pipeline, inProgress: DayInProgress[]): Promise<void> {
  await settled(inProgress)
  for (const { day } of inProgress.splice(0))
    inProgress.push(await begin(pipeline, day, snapshotsOf(inProgress)))
}

const snapshotsOf = (inProgress: readonly DayInProgress[]): Snapshot[] =>
  inProgress.flatMap(({ work }) => ('fixed' in work ? [work.fixed.snapshot] : []))

async function settled(inProgress: readonly DayInProgress[]): Promise<void> {
  await Promise.allSettled(inProgress.map(({ work }) => 'rendering' in work && work.rendering))
}
