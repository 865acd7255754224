// The frame: the fields of a day as 106 bytes and back, strictly (SPEC.md 3).
import {
  COUNTER_BYTES,
  FRAME_BYTES,
  LARGEST_COUNTER,
  OFFSET,
  PROTOCOL_VERSION,
} from './constants.ts'
import { crc32 } from './crc.ts'
import { dayNumber, FIRST_DAY, LAST_DAY, numberedDay } from './day.ts'
import { ProtocolError } from './errors.ts'

/** The twelve counters in the order of the frame. */
export const COUNTER_NAMES = [
  'messages',
  'message_bytes',
  'directories',
  'active_directories',
  'investigations',
  'observations',
  'attempts',
  'corrections',
  'results',
  'reuses',
  'sources',
  'reviews',
] as const

/** The names of the codes, each at the index that is its value in the frame. */
export const COVERAGES = ['none', 'partial', 'complete'] as const
export const CLOCK_STATUSES = ['unverified', 'ok', 'stepped'] as const
export const CONCLUSIONS = ['inconclusive', 'quiet', 'active'] as const

export type CounterName = (typeof COUNTER_NAMES)[number]
export type Coverage = (typeof COVERAGES)[number]
export type ClockStatus = (typeof CLOCK_STATUSES)[number]
export type Conclusion = (typeof CONCLUSIONS)[number]

/** One value for each counter, in the order of the frame. */
export function perCounter<Value>(value: (name: CounterName) => Value): Record<CounterName, Value> {
  const entries = COUNTER_NAMES.map((name) => [name, value(name)])
  return Object.fromEntries(entries)
}

/** What the audio carries of a day; a counter is null when it is unavailable. */
export interface DayFields {
  day: string
  counters: Record<CounterName, bigint | null>
  coverage: Coverage
  clock: ClockStatus
  conclusion: Conclusion
}

/** What follows from the other fields of a day (SPEC.md 3.3). */
export function concludeDay(fields: Omit<DayFields, 'day' | 'conclusion'>): Conclusion {
  const { counters, coverage, clock } = fields
  const whole = COUNTER_NAMES.every((name) => counters[name] !== null)
  if (!whole || coverage !== 'complete' || clock !== 'ok') return 'inconclusive'
  return counters.messages === 0n && counters.directories === 0n ? 'quiet' : 'active'
}

/** The frame of a day, 106 bytes with its checksum; throws `invalid_fields` where it breaks SPEC.md 3.2 or 3.3. */
export function encodeFrame(fields: DayFields): Uint8Array {
  checkFields(fields)
  const frame = new Uint8Array(FRAME_BYTES)
  const view = new DataView(frame.buffer)
  view.setUint8(OFFSET.flags, (PROTOCOL_VERSION << 4) | COVERAGES.indexOf(fields.coverage))
  view.setUint16(OFFSET.day, dayNumber(fields.day)!)
  let mask = 0
  for (const [i, name] of COUNTER_NAMES.entries()) {
    const counter = fields.counters[name]
    mask = (mask << 1) | (counter === null ? 0 : 1)
    view.setBigUint64(OFFSET.counters + i * COUNTER_BYTES, counter ?? 0n)
  }
  view.setUint16(OFFSET.availability, (mask << 4) | CLOCK_STATUSES.indexOf(fields.clock))
  view.setUint8(OFFSET.conclusion, CONCLUSIONS.indexOf(fields.conclusion))
  view.setUint32(OFFSET.crc, crc32(frame.subarray(0, OFFSET.crc)))
  return frame
}

function checkFields(fields: DayFields): void {
  const refuse = (field: string, rule: string): never => {
    throw new ProtocolError('invalid_fields', `${field}: ${rule}`)
  }
  if (dayNumber(fields.day) === null)
    refuse('day', `must be a date from ${FIRST_DAY} to ${LAST_DAY}`)
  for (const name of COUNTER_NAMES) {
    const counter = fields.counters[name]
    if (counter === null) continue
    if (typeof counter !== 'bigint' || counter < 0n || counter > LARGEST_COUNTER) {
      refuse(`counters.${name}`, `must be null or a bigint from 0 to ${LARGEST_COUNTER}`)
    }
  }
  if (!COVERAGES.includes(fields.coverage)) refuse('coverage', `must be ${COVERAGES.join(', ')}`)
  if (!CLOCK_STATUSES.includes(fields.clock))
    refuse('clock', `must be ${CLOCK_STATUSES.join(', ')}`)
  const due = concludeDay(fields)
  if (fields.conclusion !== due) refuse('conclusion', `must be ${due}, which follows from the rest`)
}

/**
 * The fields of a frame. Throws `crc_mismatch` when the checksum does not hold, and `invalid_frame` for a wrong
 * length or when a field breaks a rule of SPEC.md 3.2 or 3.3 although the checksum holds.
 */
export function decodeFrame(frame: Uint8Array): DayFields {
  if (frame.length !== FRAME_BYTES) {
    refuseFrame(`a frame has ${FRAME_BYTES} bytes, not ${frame.length}`)
  }
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength)
  if (view.getUint32(OFFSET.crc) !== crc32(frame.subarray(0, OFFSET.crc))) {
    throw new ProtocolError('crc_mismatch', 'the checksum of the frame does not match its content')
  }
  const flags = view.getUint8(OFFSET.flags)
  const availability = view.getUint16(OFFSET.availability)
  if (flags >> 4 !== PROTOCOL_VERSION)
    refuseFrame(`version ${flags >> 4} is not ${PROTOCOL_VERSION}`)
  const fields = {
    day: numberedDay(view.getUint16(OFFSET.day)),
    counters: readCounters(view, availability >> 4),
    coverage: named(COVERAGES, flags & 15, 'coverage'),
    clock: named(CLOCK_STATUSES, availability & 15, 'clock'),
    conclusion: named(CONCLUSIONS, view.getUint8(OFFSET.conclusion), 'conclusion'),
  }
  const due = concludeDay(fields)
  if (fields.conclusion !== due) {
    refuseFrame(`the conclusion is ${fields.conclusion}, but the other fields make it ${due}`)
  }
  return fields
}

/** The counters that `mask` (the first one in its most significant bit) marks as available; the others must be 0. */
function readCounters(view: DataView, mask: number): Record<CounterName, bigint | null> {
  const entries = COUNTER_NAMES.map((name, i) => {
    const counter = view.getBigUint64(OFFSET.counters + i * COUNTER_BYTES)
    const available = (mask >> (COUNTER_NAMES.length - 1 - i)) & 1
    if (!available && counter !== 0n) refuseFrame(`counter ${name} is unavailable, yet not 0`)
    return [name, available ? counter : null]
  })
  return Object.fromEntries(entries)
}

function named<Name>(names: readonly Name[], code: number, field: string): Name {
  return names[code] ?? refuseFrame(`${field} code ${code} has no meaning`)
}

function refuseFrame(why: string): never {
  throw new ProtocolError('invalid_frame', why)
}
