// `<day>.json` (FORMAT.md 3): schema, canonical bytes, and the fields that the audio carries.
import * as z from 'zod'
import {
  CLOCK_STATUSES,
  CONCLUSIONS,
  COVERAGES,
  DAY_MS,
  type DayFields,
  FIRST_DAY,
  LAST_DAY,
  perCounter,
} from '../../protocol/index.ts'
import { dayStart, nextDay } from './calendar.ts'
import { fileFormat } from './canonical.ts'
import { counterSchema, daySchema, instantSchema, rfc3339, sha256Schema } from './scalars.ts'

const SECONDS_PER_DAY = DAY_MS / 1000
const ID_RULE = 'must be null if and only if there is no message'
const OBSERVED_RULE = `must be from 0 to ${SECONDS_PER_DAY}, without a fraction`

/** Reasons to trust the counters less than those of a fully observed day (FORMAT.md 5). */
const COVERAGE_REASONS = [
  'service_not_running',
  'read_only',
  'feature_disabled',
  'counter_failed',
] as const

/** A reason and the interval of the day that it applies to. */
const reasonSchema = z.strictObject({
  code: z.enum(COVERAGE_REASONS),
  from: instantSchema,
  to: instantSchema,
})

export const countersSchema = z.strictObject(perCounter(() => counterSchema.nullable())).meta({
  id: 'Counters',
  description: 'Unsigned 64-bit counts as decimal strings; null when unavailable.',
})

export const availabilitySchema = z
  .strictObject(perCounter(() => z.boolean('must be true or false')))
  .meta({ id: 'Availability' })

export const coverageStatusSchema = z.enum(COVERAGES)
export const clockStatusSchema = z.enum(CLOCK_STATUSES)
export const conclusionSchema = z.enum(CONCLUSIONS)

/** The messages of the day, including hidden ones (FORMAT.md 18). */
const recordsSchema = z
  .strictObject({
    count: counterSchema,
    first_message_id: counterSchema.nullable(),
    last_message_id: counterSchema.nullable(),
    root: sha256Schema,
  })
  .meta({
    id: 'Records',
    description: 'The messages of the day, hidden ones included.',
  })

/** The properties, in the order in which they are written. */
const properties = z.strictObject({
  protocol_version: z.literal(1),
  day: daySchema,
  from: instantSchema,
  to: instantSchema,
  generated_at: instantSchema,
  counters: countersSchema,
  availability: availabilitySchema,
  coverage: z.strictObject({
    status: coverageStatusSchema,
    observed_seconds: z
      .int(OBSERVED_RULE)
      .min(0, OBSERVED_RULE)
      .max(SECONDS_PER_DAY, OBSERVED_RULE),
    reasons: z.array(reasonSchema),
  }),
  clock: z.strictObject({ status: clockStatusSchema }),
  conclusion: conclusionSchema,
  previous: z.strictObject({ day: daySchema, sha256: sha256Schema }).nullable().meta({
    description: 'The latest earlier archived day and the SHA-256 of its snapshot file.',
  }),
  records: recordsSchema,
})

/**
 * Checks the properties of a snapshot, and every rule that needs nothing but the snapshot, except one:
 * verify checks that the conclusion follows from the rest, and reports it as a finding of its own.
 */
export const snapshotSchema = properties
  .superRefine((snapshot, context) => {
    for (const [path, message] of brokenRules(snapshot))
      context.addIssue({ code: 'custom', path, message })
  })
  .meta({ id: 'Snapshot', description: 'One finished UTC day; these bytes never change.' })

/** One finished UTC day. */
export type Snapshot = z.infer<typeof snapshotSchema>
export type SealedRecords = Snapshot['records']
export type Reason = Snapshot['coverage']['reasons'][number]

/** The rules between properties. */
function* brokenRules(snapshot: z.infer<typeof properties>): Generator<[PropertyKey[], string]> {
  const { day, from, to, counters, availability, coverage, previous } = snapshot
  if (day < FIRST_DAY || day > LAST_DAY) yield [['day'], `must be from ${FIRST_DAY} to ${LAST_DAY}`]
  if (from !== rfc3339(dayStart(day))) yield [['from'], 'must be the first instant of the day']
  if (to !== rfc3339(dayStart(nextDay(day)))) yield [['to'], 'must be the next midnight']
  for (const [name, available] of Object.entries(availability))
    if (available !== (counters[name as keyof typeof counters] !== null))
      yield [['availability', name], 'must be true if and only if the counter is not null']
  for (const [index, reason] of coverage.reasons.entries())
    if (!(from <= reason.from && reason.from < reason.to && reason.to <= to))
      yield [['coverage', 'reasons', index], 'must be an interval within the day']
  if (previous && previous.day >= day) yield [['previous', 'day'], 'must be an earlier day']
  yield* brokenRecords(snapshot.records)
}

/** Checks that the ids are possible for that number of messages. */
function* brokenRecords(records: SealedRecords): Generator<[PropertyKey[], string]> {
  const { count, first_message_id: first, last_message_id: last } = records
  const isEmpty = count === '0'
  if ((first === null) !== isEmpty) yield [['records', 'first_message_id'], ID_RULE]
  if ((last === null) !== isEmpty) yield [['records', 'last_message_id'], ID_RULE]
  if (first === null || last === null) return
  if (BigInt(last) - BigInt(first) + 1n < BigInt(count) || (count === '1' && first !== last))
    yield [['records', 'last_message_id'], 'must leave room for all messages']
}

/**
 * `parseAnySnapshot` accepts what an editor or another program may have written; verify checks whether the bytes are the
 * published ones.
 */
export const {
  write: snapshotBytes,
  parse: parseSnapshot,
  parseAnySpelling: parseAnySnapshot,
} = fileFormat(snapshotSchema, 'snapshot', 'invalid_snapshot')

/** What the audio carries of a snapshot. */
export type Audible = Pick<Snapshot, 'day' | 'counters' | 'coverage' | 'clock' | 'conclusion'>

export function fieldsOf(snapshot: Audible): DayFields {
  const counters = perCounter((name) => {
    const count = snapshot.counters[name]
    return count === null ? null : BigInt(count)
  })
  return {
    day: snapshot.day,
    counters,
    coverage: snapshot.coverage.status,
    clock: snapshot.clock.status,
    conclusion: snapshot.conclusion,
  }
}

/** Whether a day has messages, and so leaves. */
export function hasMessages({ count }: SealedRecords): boolean {
  return count !== '0'
}
