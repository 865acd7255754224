// Takes the snapshot of a day from the database (FORMAT.md 3).
import { daySpan, type Interval } from '../../archive/format/calendar.ts'
import { leavesBytes } from '../../archive/format/leaves.ts'
import { rfc3339 } from '../../archive/format/scalars.ts'
import type { Reason, SealedRecords, Snapshot } from '../../archive/format/snapshot.ts'
import { COUNTER_NAMES, type CounterName, concludeDay, perCounter } from '../../protocol/index.ts'
import { type Counts, countDay } from '../../server/data/counts.ts'
import { readDayRecords } from '../../server/data/recorded.ts'
import type { Database } from '../../server/database/database.ts'
import { raiseFloor } from '../../server/database/records/sequences.ts'
import { type ObservedDay, observeDay, type WritingFeature } from './coverage.ts'
import { readHeartbeats } from './queries.ts'

export type Previous = Snapshot['previous']

/**
 * Reads a whole day in one database transaction.
 * @returns its snapshot, the bytes of `<day>.leaves` (FORMAT.md 22), which a day without messages does not have, and the queries that failed, to be reported, since the snapshot's reasons
 *   do not name counters
 */
export async function takeSnapshot(
  database: Database,
  day: string,
  previous: Previous,
  generatedAt: number,
) {
  const span = daySpan(day)
  // After this no record can be dated into the day, whatever a host's clock shows (API.md 4.5).
  await database.write((tx) => raiseFloor(tx, span.to))
  return database.read(async (tx) => {
    const { counts, failures } = await countDay(tx, span)
    const { heartbeats, steps } = await readHeartbeats(tx, span)
    const observed = observeDay(span, heartbeats, steps)
    // Unlike a counter, these must be readable, or the day is not sealed (FORMAT.md 18.1).
    const { records, leaves } = await readDayRecords(tx, span)
    const parts = { day, span, counts, observed, previous, records, generatedAt }
    return { snapshot: composeSnapshot(parts), leaves: leavesBytes(leaves), failures }
  })
}

export interface SnapshotParts {
  day: string
  span: Interval
  counts: Counts
  observed: ObservedDay
  previous: Previous
  records: SealedRecords
  generatedAt: number
}

/** The counters that are unavailable on a day during all of which a feature was disabled (FORMAT.md 4.2). */
const COUNTERS_OF: Record<WritingFeature, readonly CounterName[]> = {
  messages: ['messages', 'message_bytes', 'active_directories'],
  directories: ['directories'],
  // With all that is contributed to them.
  investigations: COUNTER_NAMES.slice(COUNTER_NAMES.indexOf('investigations')),
}

/** Composes a snapshot. A counter is null if its query failed or its feature was always disabled (FORMAT.md 4.2). */
export function composeSnapshot(parts: SnapshotParts): Snapshot {
  const { day, span, counts, observed, previous, records } = parts
  const absent = new Set([...observed.absentFeatures].flatMap((feature) => COUNTERS_OF[feature]))
  const counters = perCounter((name) => (absent.has(name) ? null : counts[name]))
  const { coverage, clock } = observed
  return {
    protocol_version: 1,
    day,
    from: rfc3339(span.from),
    to: rfc3339(span.to),
    generated_at: rfc3339(parts.generatedAt),
    counters: perCounter((name) => counters[name]?.toString() ?? null),
    availability: perCounter((name) => counters[name] !== null),
    coverage: {
      status: coverage,
      observed_seconds: observed.observedSeconds,
      reasons: reasonsOf(parts),
    },
    clock: { status: clock },
    conclusion: concludeDay({ counters, coverage, clock }),
    previous,
    records,
  }
}

function reasonsOf({ span, counts, observed }: SnapshotParts): Reason[] {
  const reasons = observed.reasons.map(({ code, from, to }) => ({
    code,
    from: rfc3339(from),
    to: rfc3339(to),
  }))
  const failed = COUNTER_NAMES.some((name) => counts[name] === null)
  return failed
    ? [...reasons, { code: 'counter_failed', from: rfc3339(span.from), to: rfc3339(span.to) }]
    : reasons
}
