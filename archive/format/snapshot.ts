// The shape of `<day>.json` (decisions.md 9.5): write canonical, parse strictly.
import type {
  ClockStatus,
  Conclusion,
  CounterName,
  Coverage,
  DayFields,
} from '../../protocol/index.ts'
import { ArchiveError } from '../errors.ts'
import { dayStart, isDay, isSha256 } from './paths.ts'
import {
  array,
  boolean,
  canonicalBytes,
  nullable,
  number,
  object,
  oneOf,
  parseAnySpelling,
  parseCanonical,
  type Reader,
  ShapeError,
  text,
} from './shape.ts'

export type ReasonCode = 'service_not_running' | 'read_only' | 'feature_disabled' | 'counter_failed'

/** An interval of the day, and why it lowers the trust in the counters. */
export interface Reason {
  code: ReasonCode
  from: string
  to: string
}

/** One finished UTC day. Instants are RFC 3339 in UTC with milliseconds. */
export interface Snapshot {
  protocol_version: 1
  day: string
  /** The day's first instant. */
  from: string
  /** The next day's first instant. */
  to: string
  generated_at: string
  /** Unsigned 64-bit counts as canonical decimals; null when unavailable. */
  counters: Record<CounterName, string | null>
  availability: Record<CounterName, boolean>
  coverage: { status: Coverage; observed_seconds: number; reasons: Reason[] }
  clock: { status: ClockStatus }
  conclusion: Conclusion
  /** The latest earlier archived day, and the SHA-256 of the bytes of its `<day>.json`. */
  previous: { day: string; sha256: string } | null
}

const SECONDS_PER_DAY = 86_400
const MAX_COUNTER = 2n ** 64n - 1n

/** One value for each counter, in the order of decisions.md 9.1. */
function perCounter<T>(value: T): Record<CounterName, T> {
  return {
    messages: value,
    message_bytes: value,
    directories: value,
    active_directories: value,
    investigations: value,
    observations: value,
    attempts: value,
    corrections: value,
    results: value,
    reuses: value,
    sources: value,
    reviews: value,
  }
}

/** The names of the twelve counters, in the order of decisions.md 9.1. */
export const COUNTERS = Object.keys(perCounter(null)) as readonly CounterName[]

export const readDay = text('a date YYYY-MM-DD', isDay)
export const readSha256 = text('a SHA-256 in 64 lowercase hex digits', isSha256)
const instant = text('a time like 2026-11-19T00:00:00.000Z', isInstant)
const counter = text('a canonical decimal from 0 to 18446744073709551615', isCounter)

const readShape = object<Snapshot>({
  protocol_version: oneOf(1),
  day: readDay,
  from: instant,
  to: instant,
  generated_at: instant,
  counters: object(perCounter(nullable(counter))),
  availability: object(perCounter(boolean)),
  coverage: object({
    status: oneOf('none', 'partial', 'complete'),
    observed_seconds: number('from 0 to 86400', (n) => n >= 0 && n <= SECONDS_PER_DAY),
    reasons: array(
      object<Reason>({
        code: oneOf('service_not_running', 'read_only', 'feature_disabled', 'counter_failed'),
        from: instant,
        to: instant,
      }),
    ),
  }),
  clock: object({ status: oneOf('unverified', 'ok', 'stepped') }),
  conclusion: oneOf('inconclusive', 'quiet', 'active'),
  previous: nullable(object({ day: readDay, sha256: readSha256 })),
})

/**
 * A snapshot by shape, and by every rule that can be checked within it, but one: whether the
 * conclusion follows is the protocol's to say (verify asks it).
 */
export const readSnapshot: Reader<Snapshot> = (value, path) => {
  const snapshot = readShape(value, path)
  const fail = (name: string, rule: string): never => {
    throw new ShapeError(path ? `${path}.${name}` : name, rule)
  }
  const { from, to } = snapshot
  const start = dayStart(snapshot.day)
  if (from !== rfc3339(start)) fail('from', 'must be the first instant of the day')
  if (to !== rfc3339(start + SECONDS_PER_DAY * 1000)) fail('to', 'must be the next midnight')
  for (const name of COUNTERS)
    if (snapshot.availability[name] !== (snapshot.counters[name] !== null))
      fail(`availability.${name}`, 'must be true if and only if the counter is not null')
  for (const [index, reason] of snapshot.coverage.reasons.entries())
    if (!(from <= reason.from && reason.from < reason.to && reason.to <= to))
      fail(`coverage.reasons[${index}]`, 'must be an interval within the day')
  if (snapshot.previous && snapshot.previous.day >= snapshot.day)
    fail('previous.day', 'must be an earlier day')
  return snapshot
}

/**
 * The canonical bytes of a snapshot, whatever the order of its properties.
 * @throws ArchiveError `invalid_snapshot` naming the property and the rule
 */
export function snapshotBytes(snapshot: Snapshot): Uint8Array {
  return asInvalid(() => canonicalBytes(readSnapshot(snapshot, '')))
}

/**
 * Reads `<day>.json`.
 * @throws ArchiveError `invalid_snapshot` for any bytes that `snapshotBytes` would not have written
 */
export function parseSnapshot(bytes: Uint8Array): Snapshot {
  return asInvalid(() => parseCanonical(bytes, readSnapshot))
}

/**
 * Reads a snapshot in any spelling of its JSON, as after an editor or another program has written
 * it anew; whether the bytes are those that were published is verify's to say.
 * @throws ArchiveError `invalid_snapshot` naming the property and the rule
 */
export function readAnySnapshot(bytes: Uint8Array): Snapshot {
  return asInvalid(() => parseAnySpelling(bytes, readSnapshot))
}

/** What the audio carries of a snapshot. */
export function fieldsOf(snapshot: Snapshot): DayFields {
  const counters = perCounter<bigint | null>(null)
  for (const name of COUNTERS) {
    const count = snapshot.counters[name]
    counters[name] = count === null ? null : BigInt(count)
  }
  return {
    day: snapshot.day,
    counters,
    coverage: snapshot.coverage.status,
    clock: snapshot.clock.status,
    conclusion: snapshot.conclusion,
  }
}

function isInstant(value: string): boolean {
  const ms = Date.parse(value)
  return !Number.isNaN(ms) && rfc3339(ms) === value
}

function isCounter(value: string): boolean {
  return /^(0|[1-9][0-9]{0,19})$/.test(value) && BigInt(value) <= MAX_COUNTER
}

function rfc3339(ms: number): string {
  return new Date(ms).toISOString()
}

function asInvalid<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof ShapeError)
      throw new ArchiveError('invalid_snapshot', `snapshot: ${error.message}`)
    throw error
  }
}
