// Computes a day's coverage, its reasons and the clock status from heartbeats (FORMAT.md 5 and 6).
// Pure. Instants are ms since 1970-01-01Z; an interval includes its start, not its end.
import type { Interval } from '../../archive/format/calendar.ts'
import { TOLERATED_GAP_MS } from '../../archive/format/contradictions.ts'
import type { Reason } from '../../archive/format/snapshot.ts'
import type { ClockStatus, Coverage } from '../../protocol/index.ts'
import type { ClockStep } from '../../server/database/records/heartbeats.ts'

/** The features that accept records. Disabling any other feature does not affect coverage. */
export const WRITING_FEATURES = ['messages', 'directories', 'investigations'] as const
export type WritingFeature = (typeof WRITING_FEATURES)[number]

/** An interval during which the heartbeats of one server show it running without a change of state. */
export interface Heartbeats extends Interval {
  readOnly: boolean
  /** Names of the features that were disabled. */
  disabled: readonly string[]
}

export type CoverageReason = Interval & {
  code: Exclude<Reason['code'], 'counter_failed'>
}

/**
 * Combines the heartbeats of all servers: an instant is observed when any server observed it, and it is
 * read-only or lacks a feature when that is true of every server that observed it.
 */
export function observeDay(day: Interval, heartbeats: Heartbeats[], steps: ClockStep[]) {
  const segments = segmentsOf(day, heartbeats)
  const observed = segments.filter((segment) => segment.servers > 0)
  const observedMs = observed.reduce((sum, { from, to }) => sum + (to - from), 0)
  const isAbsent = (feature: WritingFeature) =>
    observedMs > 0 && observed.every((segment) => segment.disabled[feature] === segment.servers)
  return {
    coverage: statusOf(observedMs, day.to - day.from),
    /** Whole seconds, rounded down. */
    observedSeconds: Math.floor(observedMs / 1000),
    /** Ordered by start, then by code as in FORMAT.md 5.3. */
    reasons: reasonsOf(segments),
    clock: clockOf(day, steps, observedMs),
    /** Features that were disabled during all of the observed time; empty when nothing was observed. */
    absentFeatures: new Set(WRITING_FEATURES.filter(isAbsent)),
  }
}

export type ObservedDay = ReturnType<typeof observeDay>

function statusOf(observedMs: number, dayMs: number): Coverage {
  if (observedMs === 0) return 'none'
  return dayMs - observedMs < TOLERATED_GAP_MS ? 'complete' : 'partial'
}

function clockOf(day: Interval, steps: ClockStep[], observedMs: number): ClockStatus {
  const within = (at: number) => at >= day.from && at < day.to
  if (steps.some((step) => within(step.expectedAt) || within(step.actualAt))) return 'stepped'
  return observedMs === 0 ? 'unverified' : 'ok'
}

/** A part of the day in which nothing changed, with the number of servers that observed it in each state. */
interface Segment extends Interval {
  servers: number
  readOnly: number
  disabled: Record<WritingFeature, number>
}

/** Cuts the day wherever heartbeats begin or end, into segments without gap or overlap. */
function segmentsOf(day: Interval, heartbeats: Heartbeats[]): Segment[] {
  const now = {
    servers: 0,
    readOnly: 0,
    disabled: { messages: 0, directories: 0, investigations: 0 },
  }
  const segments: Segment[] = []
  let from = day.from
  const advance = (to: number) => {
    if (to > from) segments.push({ ...now, disabled: { ...now.disabled }, from, to })
    from = to
  }
  for (const edge of edgesWithin(day, heartbeats)) {
    advance(edge.at)
    now.servers += edge.change
    if (edge.server.readOnly) now.readOnly += edge.change
    for (const feature of WRITING_FEATURES)
      if (edge.server.disabled.includes(feature)) now.disabled[feature] += edge.change
  }
  advance(day.to)
  return segments
}

function edgesWithin(day: Interval, heartbeats: Heartbeats[]) {
  return heartbeats
    .map((server) => ({
      server,
      from: Math.max(server.from, day.from),
      to: Math.min(server.to, day.to),
    }))
    .filter(({ from, to }) => from < to)
    .flatMap(({ server, from, to }) => [
      { server, at: from, change: 1 },
      { server, at: to, change: -1 },
    ])
    .sort((a, b) => a.at - b.at)
}

function reasonsOf(segments: Segment[]): CoverageReason[] {
  const missing = segments.filter((segment) => segment.servers === 0)
  const observed = segments.filter((segment) => segment.servers > 0)
  const readOnly = observed.filter((segment) => segment.readOnly === segment.servers)
  const disabled = observed.filter((segment) =>
    WRITING_FEATURES.some((feature) => segment.disabled[feature] === segment.servers),
  )
  const reasons = [
    ...merge(missing).map((interval) => ({ code: 'service_not_running' as const, ...interval })),
    ...merge(readOnly).map((interval) => ({ code: 'read_only' as const, ...interval })),
    ...merge(disabled).map((interval) => ({ code: 'feature_disabled' as const, ...interval })),
  ]
  return reasons.sort((a, b) => a.from - b.from)
}

/** Joins adjacent intervals. @param intervals ascending, without overlap */
function merge(intervals: Interval[]): Interval[] {
  const merged: Interval[] = []
  for (const { from, to } of intervals) {
    const last = merged.at(-1)
    if (last?.to === from) last.to = to
    else merged.push({ from, to })
  }
  return merged
}
