// The rules that keep a snapshot from contradicting itself (FORMAT.md 3.4). Only verifiers report what breaks them, and
// writers refuse it: other programs follow the schema, so that an old day of that kind can still be shown and copied. Pure.
import { type Coverage, DAY_MS } from '../../protocol/index.ts'
import { ArchiveError } from '../base/errors.ts'
import { fieldName } from '../base/json.ts'
import { sha256Of } from './hash.ts'
import { snapshotName } from './paths.ts'
import { MAX_ID } from './scalars.ts'
import type { Reason, SealedRecords, Snapshot } from './snapshot.ts'

/** A day is complete if less time than this was not observed (FORMAT.md 5.2). */
export const TOLERATED_GAP_MS = 60_000
/** The root of a tree without leaves (FORMAT.md 15.2). */
const EMPTY_ROOT = sha256Of(new Uint8Array())

/** A property, and the rule that its value breaks. */
type Broken = [path: PropertyKey[], rule: string]

/** The first contradiction in a snapshot that the schema accepts, as `property: rule`; null if there is none. */
export function contradictionIn(snapshot: Snapshot): string | null {
  const [broken] = brokenRules(snapshot)
  return broken ? `${fieldName(broken[0])}: ${broken[1]}` : null
}

/** @throws ArchiveError `invalid_snapshot` if the snapshot contradicts itself */
export function refuseContradiction(snapshot: Snapshot): void {
  const rule = contradictionIn(snapshot)
  const name = snapshotName(snapshot.day)
  if (rule) throw new ArchiveError('invalid_snapshot', `${name}: contradicts itself: ${rule}`)
}

function* brokenRules(snapshot: Snapshot): Generator<Broken> {
  const { from, to, generated_at, counters, coverage, clock, records } = snapshot
  if (generated_at < to) yield [['generated_at'], 'must not be before the end of the day']
  yield* brokenReasons(coverage.reasons, from, to)
  yield* brokenCoverage(coverage)
  if (clock.status === 'unverified' && coverage.status !== 'none')
    yield [['clock', 'status'], 'must be ok or stepped, because the day was observed']
  if (clock.status === 'ok' && coverage.status === 'none')
    yield [['clock', 'status'], 'must be unverified or stepped, because nothing was observed']
  yield* brokenRecords(records, counters.messages)
}

/** Checks what follows from the time that no server observed. */
function* brokenCoverage({
  status,
  observed_seconds,
  reasons,
}: Snapshot['coverage']): Generator<Broken> {
  const missing = reasons.filter(({ code }) => code === 'service_not_running')
  const missingMs = missing.reduce(
    (sum, { from, to }) => sum + Date.parse(to) - Date.parse(from),
    0,
  )
  const expected = statusFor(missingMs)
  const seconds = Math.floor((DAY_MS - missingMs) / 1000)
  const because = `because ${missingMs} ms were not observed`
  if (status !== expected) yield [['coverage', 'status'], `must be ${expected}, ${because}`]
  if (observed_seconds !== seconds)
    yield [['coverage', 'observed_seconds'], `must be ${seconds}, ${because}`]
}

function statusFor(missingMs: number): Coverage {
  if (missingMs === DAY_MS) return 'none'
  return missingMs < TOLERATED_GAP_MS ? 'complete' : 'partial'
}

/** Where the latest interval of each code ends so far. */
type Ends = { [Code in Reason['code']]?: string | undefined }

/** Checks the order of the reasons, and which may overlap, in one pass. */
function* brokenReasons(reasons: readonly Reason[], from: string, to: string): Generator<Broken> {
  const ends: Ends = {}
  let previous: Reason | null = null
  for (const [index, reason] of reasons.entries()) {
    const rule = ruleBroken(reason, previous, ends, { from, to })
    if (rule) yield [['coverage', 'reasons', index], rule]
    ends[reason.code] = later(ends[reason.code], reason.to)
    previous = reason
  }
}

function ruleBroken(
  { code, from, to }: Reason,
  previous: Reason | null,
  ends: Ends,
  day: { from: string; to: string },
): string | null {
  if (previous?.code === 'counter_failed') return 'must not follow counter_failed'
  if (code === 'counter_failed')
    return from === day.from && to === day.to ? null : 'must be the whole day'
  if (previous && from < previous.from) return 'must not begin before the one in front of it'
  const same = ends[code]
  if (same !== undefined && from <= same)
    return 'must neither overlap nor touch another of its code'
  const isMissing = code === 'service_not_running'
  const other = isMissing ? later(ends.read_only, ends.feature_disabled) : ends.service_not_running
  if (other !== undefined && from < other)
    return `must not overlap ${isMissing ? 'time that was observed' : 'time that was not observed'}`
  return null
}

function later(a: string | undefined, b: string | undefined): string | undefined {
  return a === undefined || (b !== undefined && b > a) ? b : a
}

/** @param messages the counter of visible messages */
function* brokenRecords(records: SealedRecords, messages: string | null): Generator<Broken> {
  const { count, first_message_id, last_message_id, root } = records
  for (const [name, id] of Object.entries({ first_message_id, last_message_id }))
    if (id !== null && (id === '0' || BigInt(id) > MAX_ID))
      yield [['records', name], `must be from 1 to ${MAX_ID}`]
  if (count === '0' && root !== EMPTY_ROOT)
    yield [['records', 'root'], 'must be that of an empty tree, because count is 0']
  if (messages !== null && BigInt(messages) > BigInt(count))
    yield [['counters', 'messages'], 'must be at most records.count']
}
