// The tone strip: the 273 tones of a day as they follow each other, time to the right and frequency upwards.
import {
  BASE_BINS,
  COUNTER_NAMES,
  encodeFrame,
  encodeTones,
  ProtocolError,
  SLOTS,
  SYNC_PERIOD,
  SYNC_TONES,
  TONES,
} from '../../protocol/index.ts'
import { fieldsOf, type Snapshot } from '../format/snapshot.ts'

/** What a transmission sounds like: a tone for each slot, null where it is not known. */
export type ToneRow = readonly (number | null)[]

/**
 * The tones of a day's transmission; those of SYNC_ONLY for a snapshot whose conclusion does not
 * follow from the rest, which has none: a fault that verify reports, and that must hide no page.
 */
export function tonesOf(snapshot: Snapshot): ToneRow {
  try {
    return [...encodeTones(encodeFrame(fieldsOf(snapshot)))]
  } catch (error) {
    if (error instanceof ProtocolError) return SYNC_ONLY
    throw error
  }
}

/** What all transmissions have in common: every 17th tone. */
export const SYNC_ONLY: ToneRow = Array.from({ length: SLOTS }, (_, slot) =>
  slot % SYNC_PERIOD === 0 ? SYNC_TONES[slot / SYNC_PERIOD]! : null,
)

/** The strip's own units: four to a slot, and one to a step between neighbouring tones. */
const SLOT_WIDTH = 4
const MARK_WIDTH = 3
export const STRIP = {
  width: SLOTS * SLOT_WIDTH,
  /** The two bands overlap: odd slots begin where even ones have 22 tones left. */
  height: BASE_BINS[1] - BASE_BINS[0] + TONES,
} as const

/** The colour that a slot's mark has: the twelve follow each other from the first slot to the last. */
export const colourOfSlot = (slot: number): number =>
  Math.floor((slot / SLOTS) * COUNTER_NAMES.length)

/** Where a tone's mark begins and how high it lies, in the strip's units. */
export const markAt = (tone: number, slot: number): { x: number; y: number } => ({
  x: slot * SLOT_WIDTH,
  y: STRIP.height - 1 - (BASE_BINS[slot & 1]! - BASE_BINS[0] + tone),
})

/** The marks as SVG path data, one path for each of the twelve colours; to be stroked. */
export function stripPaths(tones: ToneRow): string[] {
  const paths = COUNTER_NAMES.map(() => '')
  for (const [slot, tone] of tones.entries()) {
    if (tone === null) continue
    const { x, y } = markAt(tone, slot)
    paths[colourOfSlot(slot)] += `M${x} ${y}h${MARK_WIDTH}`
  }
  return paths
}
