// Draws the tone strip: the 273 tones of a day's transmission, with time to the right and frequency upwards.
import {
  BASE_BINS,
  encodeFrame,
  encodeTones,
  ProtocolError,
  SLOTS,
  SYNC_PERIOD,
  SYNC_TONES,
  TONES,
} from '../../protocol/index.ts'
import { type Audible, fieldsOf } from '../format/snapshot.ts'

/** The tone of each slot of a transmission; null where it is unknown. */
export type ToneRow = readonly (number | null)[]

/**
 * Returns the tones of a day's transmission. A snapshot whose conclusion does not follow from its
 * other fields cannot be encoded: it gets SYNC_ONLY, so that its page still renders (verify reports it).
 */
export function tonesOf(snapshot: Audible): ToneRow {
  try {
    return [...encodeTones(encodeFrame(fieldsOf(snapshot)))]
  } catch (error) {
    if (error instanceof ProtocolError) return SYNC_ONLY
    throw error
  }
}

/** Every 17th tone, a sync tone: the ones that all transmissions share. */
export const SYNC_ONLY: ToneRow = Array.from({ length: SLOTS }, (_, slot) =>
  slot % SYNC_PERIOD === 0 ? SYNC_TONES[slot / SYNC_PERIOD]! : null,
)

/** In strip units: four to a slot horizontally, one to each tone vertically. */
const SLOT_WIDTH = 4
const MARK_WIDTH = 3
export const STRIP = {
  width: SLOTS * SLOT_WIDTH,
  /** The two bands overlap: the band of odd slots begins 22 tones below the end of the band of even slots. */
  height: BASE_BINS[1] - BASE_BINS[0] + TONES,
} as const

/** The left end of a tone's mark, in strip units. */
export const markAt = (tone: number, slot: number): { x: number; y: number } => ({
  x: slot * SLOT_WIDTH,
  y: STRIP.height - 1 - (BASE_BINS[slot & 1]! - BASE_BINS[0] + tone),
})

/** The marks as SVG path data to be stroked. */
export const stripPath = (tones: ToneRow): string =>
  tones
    .flatMap((tone, slot) => (tone === null ? [] : markAt(tone, slot)))
    .map(({ x, y }) => `M${x} ${y}h${MARK_WIDTH}`)
    .join('')
