// Encodes the fields of a day as a 106-byte frame, and decodes it strictly (SPEC.md 3).
import {
  COUNTER_BYTES,
  FRAME_BYTES,
  LARGEST_COUNTER,
  OFFSET,
  PROTOCOL_VERSION,
} from './constants.ts'
import { crc32 } from './crc.ts'
import { dayFromNumber, dayNumber, FIRST_DAY, LAST_DAY } from './day.ts'
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

/** The values of the coded fields; the index of a name is its code in the frame. */
export const COVERAGES = ['none', 'partial', 'complete'] as const
export const CLOCK_STATUSES = ['unverified', 'ok', 'stepped'] as const
export const CONCLUSIONS = ['inconclusive', 'quiet', 'active'] as const

export type CounterName = (typeof COUNTER_NAMES)[number]
export type Coverage = (typeof COVERAGES)[number]
export type ClockStatus = (typeof CLOCK_STATUSES)[number]
export type Conclusion = (typeof CONCLUSIONS)[number]

/** Builds a record with one value per counter, in the order of the frame. */
export function perCounter<Value>(value: (name: CounterName) => Value): Record<CounterName, Value> {
  const entries = COUNTER_NAMES.map((name) => [name, value(name)])
  return Object.fromEntries(entries)
}

/** The fields of a day that a frame carries; an unavailable counter is null. */
export interface DayFields {
  day: string
  counters: Record<CounterName, bigint | null>
  coverage: Coverage
  clock: ClockStatus
  conclusion: Conclusion
}

/** Returns the conclusion that follows from the other fields of a day (SPEC.md 3.3). */
export function concludeDay(fields: Omit<DayFields, 'day' | 'conclusion'>): Conclusion {
  const { counters, coverage, clock } = fields
  const isComplete = COUNTER_NAMES.every((name) => counters[name] !== null)
  if (!isComplete || coverage !== 'complete' || clock !== 'ok') return 'inconclusive'
  return counters.messages === 0n && counters.directories === 0n ? 'quiet' : 'active'
}

/**
 * Encodes a day as a frame of 106 bytes, including the checksum.
 * @throws `invalid_fields` for a day that breaks a rule of SPEC.md 3.2 or 3.3
 */
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
  const reject = (field: string, rule: string): never => {
    throw new ProtocolError('invalid_fields', `${field}: ${rule}`)
  }
  if (dayNumber(fields.day) === null)
    reject('day', `must be a date from ${FIRST_DAY} to ${LAST_DAY}`)
  for (const name of COUNTER_NAMES) {
    const counter = fields.counters[name]
    if (counter === null) continue
    if (typeof counter !== 'bigint' || counter < 0n || counter > LARGEST_COUNTER) {
      reject(`counters.${name}`, `must be null or a bigint from 0 to ${LARGEST_COUNTER}`)
    }
  }
  if (!COVERAGES.includes(fields.coverage)) reject('coverage', `must be ${COVERAGES.join(', ')}`)
  if (!CLOCK_STATUSES.includes(fields.clock))
    reject('clock', `must be ${CLOCK_STATUSES.join(', ')}`)
  const expected = concludeDay(fields)
  if (fields.conclusion !== expected)
    reject('conclusion', `must be ${expected}, which follows from the rest`)
}

/**
 * Decodes the fields of a frame.
 * @throws `crc_mismatch` if the checksum does not match; `invalid_frame` if the length is not 106 bytes, or if the
 *   checksum matches but a field breaks a rule of SPEC.md 3.2 or 3.3
 */
export function decodeFrame(frame: Uint8Array): DayFields {
  if (frame.length !== FRAME_BYTES) {
    rejectFrame(`a frame has ${FRAME_BYTES} bytes, not ${frame.length}`)
  }
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength)
  if (view.getUint32(OFFSET.crc) !== crc32(frame.subarray(0, OFFSET.crc))) {
    throw new ProtocolError('crc_mismatch', 'the checksum of the frame does not match its content')
  }
  const flags = view.getUint8(OFFSET.flags)
  const availability = view.getUint16(OFFSET.availability)
  if (flags >> 4 !== PROTOCOL_VERSION)
    rejectFrame(`version ${flags >> 4} is not ${PROTOCOL_VERSION}`)
  const fields = {
    day: dayFromNumber(view.getUint16(OFFSET.day)),
    counters: readCounters(view, availability >> 4),
    coverage: named(COVERAGES, flags & 15, 'coverage'),
    clock: named(CLOCK_STATUSES, availability & 15, 'clock'),
    conclusion: named(CONCLUSIONS, view.getUint8(OFFSET.conclusion), 'conclusion'),
  }
  const expected = concludeDay(fields)
  if (fields.conclusion !== expected) {
    rejectFrame(`the conclusion is ${fields.conclusion}, but the other fields make it ${expected}`)
  }
  return fields
}

/** Reads the counters that are available in `mask`, the first in its most significant bit; the others must be 0. */
function readCounters(view: DataView, mask: number): Record<CounterName, bigint | null> {
  const entries = COUNTER_NAMES.map((name, i) => {
    const counter = view.getBigUint64(OFFSET.counters + i * COUNTER_BYTES)
    const isAvailable = (mask >> (COUNTER_NAMES.length - 1 - i)) & 1
    if (!isAvailable && counter !== 0n) rejectFrame(`counter ${name} is unavailable but not 0`)
    return [name, isAvailable ? counter : null]
  })
  return Object.fromEntries(entries)
}

function named<Name>(names: readonly Name[], code: number, field: string): Name {
  return names[code] ?? rejectFrame(`${field} code ${code} is undefined`)
}

function rejectFrame(reason: string): never {
  throw new ProtocolError('invalid_frame', reason)
}
