// Picks the frame from the paths of the list decoder: the first that passes the checksum (SPEC.md 9.9).
import { packBits } from '../bits.ts'
import { CODE_LENGTH, FRAME_BITS, LEVELS } from '../constants.ts'
import { ProtocolError } from '../errors.ts'
import { type DayFields, decodeFrame } from '../frame.ts'
import { INFORMATION_POSITIONS, polarTransform } from '../polar.ts'
import type { ListDecoder } from './polar-list.ts'

/** A frame that passed the checksum and all rules. */
export interface Read {
  kind: 'frame'
  frame: Uint8Array
  fields: DayFields
  /** List size that was needed. */
  list: number
}

/**
 * The result of decoding a candidate. `invalid`: a checksum holds, but the frame breaks a rule. `none`: none holds.
 * `nothing`: there was too little evidence of a transmission to try.
 */
export type Outcome =
  | Read
  | { kind: 'invalid'; message: string }
  | { kind: 'none' }
  | { kind: 'nothing' }

/** Returns the outcome of the cheapest path whose checksum holds. @param list its size, for the diagnostics */
export function readPaths(decoder: ListDecoder, list: number): Outcome {
  for (const path of decoder.ranking()) {
    const start = path * CODE_LENGTH
    const frame = frameOfLabels(decoder.labels.slice(start, start + CODE_LENGTH))
    const outcome = checked(frame, list)
    if (outcome !== null) return outcome
  }
  return { kind: 'none' }
}

/** The code position and the shift within the label of each bit of a frame. */
const BIT_POSITION = Uint8Array.from(
  INFORMATION_POSITIONS.flatMap((positions) => Array.from(positions)),
)
const BIT_SHIFT = Uint8Array.from(
  INFORMATION_POSITIONS.flatMap((positions, level) =>
    Array(positions.length).fill(LEVELS - 1 - level),
  ),
)

/** Inverts the polar transform of all levels at once, as it is bitwise. Overwrites `labels`. */
function frameOfLabels(labels: Uint8Array): Uint8Array {
  polarTransform(labels)
  const bits = new Uint8Array(FRAME_BITS)
  for (let i = 0; i < FRAME_BITS; i++) bits[i] = (labels[BIT_POSITION[i]!]! >> BIT_SHIFT[i]!) & 1
  return packBits(bits)
}

/** Returns null if the checksum does not match. */
function checked(frame: Uint8Array, list: number): Outcome | null {
  try {
    return { kind: 'frame', frame, fields: decodeFrame(frame), list }
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error
    return error.code === 'crc_mismatch' ? null : { kind: 'invalid', message: error.message }
  }
}
