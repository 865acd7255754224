// Fixes the snapshot of a day before anything is rendered, so that the next run can complete a run that was killed at
// any moment, with the same bytes (WRITING.md 1).
import { setTimeout as sleep } from 'node:timers/promises'
import { daySpan } from '../../archive/format/calendar.ts'
import { refuseContradiction } from '../../archive/format/contradictions.ts'
import { sha256Of } from '../../archive/format/hash.ts'
import { hasMessages, type Snapshot, snapshotBytes } from '../../archive/format/snapshot.ts'
import type { Database } from '../../server/database/database.ts'
import { HEARTBEAT_EVERY_MS, LONGEST_SILENCE_MS } from '../../server/database/records/heartbeats.ts'
import { hasHeartbeatSince } from '../days/queries.ts'
import { type Previous, takeSnapshot } from '../days/snapshot.ts'
import type { DayOutcome, Run } from '../run/session.ts'
import { refuseLost } from '../run/signed-log.ts'

/** A day to be rendered. */
export interface PreparedDay {
  snapshot: Snapshot
  /** See `takeSnapshot`; null if the snapshot is fixed, because they are in the archive then. */
  leaves: Uint8Array | null
  /** Whether the snapshot no longer changes, even if the run is killed. */
  isFixed: boolean
  /** Why counters are missing, one line each. */
  notes: string[]
}

/**
 * Fixes the snapshot of a day: that of an interrupted run if there is one, otherwise one taken now.
 * @param pending snapshots of earlier days that are not published yet
 * @returns the fixed day; or its outcome, if it needs no rendering
 */
export async function fixDay(
  run: Run,
  day: string,
  pending: readonly Snapshot[] = [],
): Promise<PreparedDay | DayOutcome> {
  const prepared = await prepareDay(run, day, pending)
  return 'status' in prepared ? prepared : fixPrepared(run, prepared)
}

/** Fixes the snapshot of a prepared day. @returns the fixed day, which may be that of another run that came first */
export async function fixPrepared(
  { archive: { writer } }: Run,
  prepared: PreparedDay,
): Promise<PreparedDay> {
  if (prepared.isFixed) return prepared
  const { leaves } = prepared
  // Before the snapshot, so that a fixed one has its leaves even if the database changes after a kill.
  if (leaves && hasMessages(prepared.snapshot.records))
    await writer.putLeaves(prepared.snapshot, leaves)
  const snapshot = await writer.fixSnapshot(prepared.snapshot)
  return { ...prepared, snapshot, leaves: null, isFixed: true }
}

/**
 * Finds or takes the snapshot of a day, like `fixDay`, but does not fix a new one: while its predecessor is not
 * published, that day may still fail.
 */
export async function prepareDay(
  run: Run,
  day: string,
  pending: readonly Snapshot[],
): Promise<PreparedDay | DayOutcome> {
  const { archive, database, log, clock, signal, report } = run
  signal.throwIfAborted()
  const archived = await archive.reader.days()
  if (archived.includes(day)) return { day, status: 'present' }
  refuseLost(log, day)
  const fixed = await archive.writer.fixedSnapshot(day)
  report.progress(day, 'snapshot', 0)
  await letDaySettle(database, day, clock.now(), signal)
  if (fixed) {
    refuseContradiction(fixed)
    return { snapshot: fixed, leaves: null, isFixed: true, notes: [] }
  }
  const previous = await previousOf(run, archived, pending, day)
  const { snapshot, leaves, failures } = await takeSnapshot(database, day, previous, clock.now())
  const notes = failures.map(({ counters, message }) => `no ${counters.join(', ')}: ${message}`)
  return { snapshot, leaves, isFixed: false, notes }
}

/** Finds the newest day before this one that is archived or pending, with the hash of its `<day>.json`. */
async function previousOf(
  { archive: { reader }, log }: Run,
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

/** Two heartbeat intervals after the day's end, a running server has written one that covers it [ms]. */
const TIMEOUT_MS = 2 * HEARTBEAT_EVERY_MS
const POLL_MS = 250

/**
 * Waits for the heartbeat that covers the end of a day, if a server is running to write it, and for
 * transactions in flight. A record is dated under the write lock, so any later one belongs to a later day.
 * @param now wall-clock time [ms since 1970]
 */
export async function letDaySettle(
  database: Database,
  day: string,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const end = daySpan(day).to
  const maxPolls = Math.ceil((end + TIMEOUT_MS - now) / POLL_MS)
  if (maxPolls > 0 && (await hasHeartbeatSince(database.db, end - LONGEST_SILENCE_MS)))
    for (let poll = 0; poll < maxPolls && !(await hasHeartbeatSince(database.db, end)); poll++)
      await sleep(POLL_MS, undefined, { signal })
  await database.write(async () => {})
}
