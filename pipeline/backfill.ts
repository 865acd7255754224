// Several days. Snapshots are always fixed in ascending order, since each names the one before; rendering overlaps.
import type { Snapshot } from '../archive/format/snapshot.ts'
import { type FixedDay, fixDay } from './fix.ts'
import { type RenderedDay, renderDay, sealDay } from './publish.ts'
import { type DayOutcome, failedOutcome, type Pipeline } from './session.ts'

/** A day in work: being rendered, or with an outcome already. */
interface DayInWork {
  day: string
  work: DayOutcome | { fixed: FixedDay; rendering: Promise<RenderedDay> }
}

/**
 * Makes days that have ended, sealing them in ascending order. A day that fails does not keep the others from being made.
 * @param days ascending
 * @param report is called with the outcome of each day, in order
 * @throws the signal's reason when aborted: whole days are left, and snapshots that the next run uses
 */
export async function publishDays(
  pipeline: Pipeline,
  days: readonly string[],
  report: (outcome: DayOutcome) => void,
): Promise<void> {
  let inWork: DayInWork[] = []
  try {
    for (const day of days) {
      inWork.push(await begin(pipeline, day, snapshotsOf(inWork)))
      if (inWork.length >= pipeline.renderConcurrency)
        inWork = await finishFirst(pipeline, inWork, report)
    }
    while (inWork.length > 0) inWork = await finishFirst(pipeline, inWork, report)
  } finally {
    // After an abort: no ffmpeg outlives the run.
    await settled(inWork)
  }
}

/**
 * Makes days that have ended from the newest on, once the snapshots of all are fixed. Until the oldest is sealed, days
 * name predecessors that are not published yet (FORMAT.md 10.2); if a day fails, the next run makes it with the
 * snapshot that they name.
 * @param days ascending
 * @param report is called with the outcome of each day
 * @throws the signal's reason when aborted: whole days are left, and snapshots that the next run uses
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
  const inWork: DayInWork[] = []
  const finishNext = async () => report(await finish(pipeline, inWork.shift()!))
  try {
    for (const day of fixed.reverse()) {
      inWork.push(startRendering(pipeline, day))
      if (inWork.length >= pipeline.renderConcurrency) await finishNext()
    }
    while (inWork.length > 0) await finishNext()
  } finally {
    await settled(inWork)
  }
}

/** Fixes a day's snapshot and starts to render it. */
async function begin(
  pipeline: Pipeline,
  day: string,
  pending: readonly Snapshot[],
): Promise<DayInWork> {
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

function startRendering(pipeline: Pipeline, fixed: FixedDay): DayInWork {
  const rendering = renderDay(pipeline, fixed.snapshot)
  // A failure is dealt with when it is the day's turn.
  rendering.catch(() => {})
  return { day: fixed.snapshot.day, work: { fixed, rendering } }
}

/** @returns the days still in work */
async function finishFirst(
  pipeline: Pipeline,
  [first, ...later]: DayInWork[],
  report: (outcome: DayOutcome) => void,
): Promise<DayInWork[]> {
  const outcome = await finish(pipeline, first!)
  report(outcome)
  return outcome.status === 'failed' ? beginAgain(pipeline, later) : later
}

async function finish(pipeline: Pipeline, { day, work }: DayInWork): Promise<DayOutcome> {
  if ('status' in work) return work
  try {
    const notes = [...work.fixed.notes, ...(await sealDay(pipeline, await work.rendering))]
    return { day, status: 'published', ...(notes.length > 0 && { message: notes.join('; ') }) }
  } catch (error) {
    return failedOutcome(pipeline, day, error)
  }
}

/** Takes the days after a failed one again: their snapshots name a predecessor that is not published. */
async function beginAgain(pipeline: Pipeline, later: DayInWork[]): Promise<DayInWork[]> {
  await settled(later)
  const again: DayInWork[] = []
  for (const { day } of later) again.push(await begin(pipeline, day, snapshotsOf(again)))
  return again
}

const snapshotsOf = (inWork: readonly DayInWork[]): Snapshot[] =>
  inWork.flatMap(({ work }) => ('fixed' in work ? [work.fixed.snapshot] : []))

async function settled(inWork: readonly DayInWork[]): Promise<void> {
  await Promise.allSettled(inWork.map(({ work }) => 'rendering' in work && work.rendering))
}
