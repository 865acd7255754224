// From the paths of the list decoder to a frame that passes every check, or the reason why none does (SPEC.md 9.9).
import { packBits } from '../bits.ts'
import { CODE_LENGTH, FRAME_BITS, LEVELS } from '../constants.ts'
import { ProtocolError } from '../errors.ts'
import { type DayFields, decodeFrame } from '../frame.ts'
import { INFORMATION_POSITIONS, polarTransform } from '../polar.ts'
import type { ListDecoder } from './polar-list.ts'

/** A frame that passed all checks. */
export interface Read {
  kind: 'frame'
  frame: Uint8Array
  fields: DayFields
  /** Length of the list that it took. */
  list: number
}

/**
 * What became of a candidate. `invalid`: a checksum holds, a rule of the frame does not. `none`: no checksum holds.
 * `nothing`: the place has too little evidence of a transmission to be decoded.
 */
export type Outcome =
  | Read
  | { kind: 'invalid'; message: string }
  | { kind: 'none' }
  | { kind: 'nothing' }

/** The outcome of the first path by cost whose checksum holds. @param list its length, for the diagnostics */
export function readPaths(decoder: ListDecoder, list: number): Outcome {
  for (const path of decoder.ranking()) {
    const start = path * CODE_LENGTH
    const frame = frameOfLabels(decoder.labels.slice(start, start + CODE_LENGTH))
    const outcome = checked(frame, list)
    if (outcome !== null) return outcome
  }
  return { kind: 'none' }
}

/** Code position and place within the label of each bit of a frame. */
const BIT_POSITION = Uint8Array.from(
  INFORMATION_POSITIONS.flatMap((positions) => Array.from(positions)),
)
const BIT_SHIFT = Uint8Array.from(
  INFORMATION_POSITIONS.flatMap((positions, level) =>
    Array(positions.length).fill(LEVELS - 1 - level),
  ),
)

/** The frame whose code words are the columns of bits in `labels`, which are used up: all levels are undone at once. */
function frameOfLabels(labels: Uint8Array): Uint8Array {
  polarTransform(labels)
  const bits = new Uint8Array(FRAME_BITS)
  for (let i = 0; i < FRAME_BITS; i++) bits[i] = (labels[BIT_POSITION[i]!]! >> BIT_SHIFT[i]!) & 1
  return packBits(bits)
}

/** null when the checksum does not hold. */
function checked(frame: Uint8Array, list: number): Outcome | null {
  try {
    return { kind: 'frame', frame, fields: decodeFrame(frame), list }
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error
    return error.code === 'crc_mismatch' ? null : { kind: 'invalid', message: error.message }
  }
}
