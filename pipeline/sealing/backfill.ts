// Publishes several days. Snapshots are fixed in ascending order, since each names the one before; rendering overlaps.
import type { Snapshot } from '../../archive/format/snapshot.ts'
import { type DayOutcome, failedOutcome, type Run } from '../run/session.ts'
import { fixDay, fixPrepared, type PreparedDay, prepareDay } from './fix-snapshot.ts'
import { type RenderedDay, renderDay, sealDay } from './publish.ts'

/** A day in progress: being rendered, or with an early outcome. */
interface DayInProgress {
  day: string
  work: DayOutcome | { prepared: PreparedDay; rendering: Promise<RenderedDay> }
}

/**
 * Publishes days that have ended, and seals them in ascending order. A day that fails does not stop the others.
 * @param days ascending
 * @param report called with the outcome of each day, in order
 * @throws the signal's reason when aborted; it leaves whole days, and snapshots that the next run continues from
 */
export async function publishDays(
  run: Run,
  days: readonly string[],
  report: (outcome: DayOutcome) => void,
): Promise<void> {
  const start = (day: string, before: readonly DayInProgress[]) =>
    begin(run, day, snapshotsOf(before))
  await overlapping(run, days, start, async (outcome, inProgress) => {
    report(outcome)
    if (outcome.status === 'failed') await restart(run, inProgress)
  })
}

/**
 * Publishes days that have ended, newest first, after fixing all their snapshots. Until the oldest is sealed, days name
 * predecessors that are not published yet (FORMAT.md 11.1). The next run retries a failed day with its fixed snapshot.
 * @param days ascending
 * @param report called with the outcome of each day
 * @throws the signal's reason when aborted; it leaves whole days, and snapshots that the next run continues from
 */
export async function publishNewestFirst(
  run: Run,
  days: readonly string[],
  report: (outcome: DayOutcome) => void,
): Promise<void> {
  const fixed: PreparedDay[] = []
  for (const day of days) {
    const pending = fixed.map(({ snapshot }) => snapshot)
    const result = await attempt(run, day, () => fixDay(run, day, pending))
    if ('status' in result) report(result)
    else fixed.push(result)
  }
  await overlapping(run, fixed.reverse(), (day) => startRendering(run, day), report)
}

/**
 * Starts days in order, and finishes each in its turn; as many as the concurrency of the run are in progress at once.
 * @param finished called with the outcome of each day, and the days in progress after it
 */
async function overlapping<Day>(
  run: Run,
  days: readonly Day[],
  start: (day: Day, before: readonly DayInProgress[]) => DayInProgress | Promise<DayInProgress>,
  finished: (outcome: DayOutcome, inProgress: DayInProgress[]) => void | Promise<void>,
): Promise<void> {
  const inProgress: DayInProgress[] = []
  const finishFirst = async () => finished(await finish(run, inProgress.shift()!), inProgress)
  try {
    for (const day of days) {
      inProgress.push(await start(day, inProgress))
      if (inProgress.length >= run.tools.concurrency) await finishFirst()
    }
    while (inProgress.length > 0) await finishFirst()
  } finally {
    // After an abort, let no ffmpeg outlive the run.
    await settled(inProgress)
  }
}

/** Starts rendering a day. Its snapshot is fixed once the days before it are published. */
async function begin(run: Run, day: string, pending: readonly Snapshot[]): Promise<DayInProgress> {
  const prepare = pending.length === 0 ? fixDay : prepareDay
  const prepared = await attempt(run, day, () => prepare(run, day, pending))
  return 'status' in prepared ? { day, work: prepared } : startRendering(run, prepared)
}

async function attempt<T>(run: Run, day: string, work: () => Promise<T>): Promise<T | DayOutcome> {
  try {
    return await work()
  } catch (error) {
    return failedOutcome(run, day, error)
  }
}

function startRendering(run: Run, prepared: PreparedDay): DayInProgress {
  const rendering = renderDay(run, prepared.snapshot)
  // `finish` handles a failure when it is the day's turn.
  rendering.catch(() => {})
  return { day: prepared.snapshot.day, work: { prepared, rendering } }
}

async function finish(run: Run, { day, work }: DayInProgress): Promise<DayOutcome> {
  if ('status' in work) return work
  return attempt(run, day, async () => {
    const { prepared, rendering } = work
    const { snapshot, notes } = await fixPrepared(run, prepared)
    // If another run was first, its snapshot is the one to render.
    const isOurs = snapshot === prepared.snapshot
    const rendered = await (isOurs ? rendering : renderDay(run, snapshot))
    const all = [...notes, ...(await sealDay(run, rendered))]
    return { day, status: 'published', ...(all.length > 0 && { message: all.join('; ') }) }
  })
}

/**
 * Restarts the days after a failed one, because their snapshots name a predecessor that is not published.
 * @param inProgress changed in place, so that an abort half-way leaves every rendering in it
 */
async function restart(run: Run, inProgress: DayInProgress[]): Promise<void> {
  await settled(inProgress)
  for (const { day } of inProgress.splice(0))
    inProgress.push(await begin(run, day, snapshotsOf(inProgress)))
}

const snapshotsOf = (inProgress: readonly DayInProgress[]): Snapshot[] =>
  inProgress.flatMap(({ work }) => ('prepared' in work ? [work.prepared.snapshot] : []))

async function settled(inProgress: readonly DayInProgress[]): Promise<void> {
  await Promise.allSettled(inProgress.map(({ work }) => 'rendering' in work && work.rendering))
}
