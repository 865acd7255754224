// How much of a day the service was there to be written to, from its notes of life (decisions.md 9.2, 9.3).
// Pure: intervals in, flags out. Instants are ms since 1970-01-01Z; an interval holds its start, not its end.
import type { ClockStatus, Coverage } from '../protocol/index.ts'

/** The features whose absence stops writing; an archive that is not shown keeps no record from being made. */
export const WRITING_FEATURES = ['messages', 'directories', 'investigations'] as const
export type WritingFeature = (typeof WRITING_FEATURES)[number]

/** One noted stretch of one server's life, in one state. */
export interface Stretch {
  from: number
  to: number
  readOnly: boolean
  /** Names of the features that were disabled. */
  disabled: readonly string[]
}

/** A running server's clock moved: the instant that the monotonic clock promised, and the one that was read. */
export interface ClockStep {
  expectedAt: number
  actualAt: number
}

export interface Interval {
  from: number
  to: number
}

export type CoverageReason = Interval & {
  code: 'service_not_running' | 'read_only' | 'feature_disabled'
}

export interface ObservedDay {
  coverage: Coverage
  /** Whole seconds, rounded down. */
  observedSeconds: number
  /** By start, then in the order of the codes. */
  reasons: CoverageReason[]
  clock: ClockStatus
  /** Features that were disabled through all of the observed time; none when nothing was observed. */
  absentFeatures: Set<WritingFeature>
}

/** Less than this unobserved in all, and the day is complete (decisions.md 9.2). */
const TOLERATED_GAP_MS = 60_000

/**
 * Reads the notes of all servers as one service: an instant is observed when any server observed it;
 * it is read-only, or without a feature, when every server that observed it was.
 */
export function observeDay(day: Interval, stretches: Stretch[], steps: ClockStep[]): ObservedDay {
  const pieces = cut(day, stretches)
  const observed = pieces.filter((piece) => piece.servers > 0)
  const observedMs = lengthOf(observed)
  const isAbsent = (feature: WritingFeature) =>
    observedMs > 0 && observed.every((piece) => piece.disabled[feature] === piece.servers)
  return {
    coverage: statusOf(observedMs, day.to - day.from),
    observedSeconds: Math.floor(observedMs / 1000),
    reasons: reasonsOf(pieces),
    clock: clockOf(day, steps, observedMs),
    absentFeatures: new Set(WRITING_FEATURES.filter(isAbsent)),
  }
}

function statusOf(observedMs: number, dayMs: number): Coverage {
  if (observedMs === 0) return 'none'
  return dayMs - observedMs < TOLERATED_GAP_MS ? 'complete' : 'partial'
}

function clockOf(day: Interval, steps: ClockStep[], observedMs: number): ClockStatus {
  const within = (at: number) => at >= day.from && at < day.to
  if (steps.some((step) => within(step.expectedAt) || within(step.actualAt))) return 'stepped'
  return observedMs === 0 ? 'unverified' : 'ok'
}

/** A part of the day through which nothing changed: how many servers observed it, in which states. */
interface Piece extends Interval {
  servers: number
  readOnly: number
  disabled: Record<WritingFeature, number>
}

/** Cuts the day wherever a stretch begins or ends; the pieces fill it without gap or overlap. */
function cut(day: Interval, stretches: Stretch[]): Piece[] {
  const now = {
    servers: 0,
    readOnly: 0,
    disabled: { messages: 0, directories: 0, investigations: 0 },
  }
  const pieces: Piece[] = []
  let from = day.from
  const advance = (to: number) => {
    if (to > from) pieces.push({ ...now, disabled: { ...now.disabled }, from, to })
    from = to
  }
  for (const edge of edgesWithin(day, stretches)) {
    advance(edge.at)
    now.servers += edge.change
    if (edge.stretch.readOnly) now.readOnly += edge.change
    for (const feature of WRITING_FEATURES)
      if (edge.stretch.disabled.includes(feature)) now.disabled[feature] += edge.change
  }
  advance(day.to)
  return pieces
}

function edgesWithin(day: Interval, stretches: Stretch[]) {
  return stretches
    .map((stretch) => ({
      stretch,
      from: Math.max(stretch.from, day.from),
      to: Math.min(stretch.to, day.to),
    }))
    .filter(({ from, to }) => from < to)
    .flatMap(({ stretch, from, to }) => [
      { stretch, at: from, change: 1 },
      { stretch, at: to, change: -1 },
    ])
    .sort((a, b) => a.at - b.at)
}

function reasonsOf(pieces: Piece[]): CoverageReason[] {
  const missing = pieces.filter((piece) => piece.servers === 0)
  const observed = pieces.filter((piece) => piece.servers > 0)
  const readOnly = observed.filter((piece) => piece.readOnly === piece.servers)
  const disabled = observed.filter((piece) =>
    WRITING_FEATURES.some((feature) => piece.disabled[feature] === piece.servers),
  )
  const reasons = [
    ...merge(missing).map((interval) => ({ code: 'service_not_running' as const, ...interval })),
    ...merge(readOnly).map((interval) => ({ code: 'read_only' as const, ...interval })),
    ...merge(disabled).map((interval) => ({ code: 'feature_disabled' as const, ...interval })),
  ]
  return reasons.sort((a, b) => a.from - b.from)
}

/** Joins ascending intervals that touch. */
function merge(intervals: Interval[]): Interval[] {
  const merged: Interval[] = []
  for (const { from, to } of intervals) {
    const last = merged.at(-1)
    if (last?.to === from) last.to = to
    else merged.push({ from, to })
  }
  return merged
}

const lengthOf = (intervals: Interval[]): number =>
  intervals.reduce((sum, { from, to }) => sum + (to - from), 0)
