// Access to the pixels of pictures and frames, and the positions of tone marks.
import type { ChordGrid } from '../../../archive/drawing/chord.ts'
import { markAt, STRIP } from '../../../archive/drawing/tone-strip.ts'
import {
  blockBoxes,
  laneOf,
  SLOT_WIDTH,
  TONES_AREA,
  xAfter,
} from '../../../pipeline/render/layout.ts'

/** The colour of each pixel as `#rrggbb`, and its brightness, red + green + blue: 0 to 765. */
export interface Pixels {
  colour(x: number, y: number): string
  brightness(x: number, y: number): number
  data: Buffer
}

/** @param data row by row: red, green, blue and, with four channels, alpha of each pixel */
export function pixelsOf({ data, width }: { data: Buffer; width: number }, channels = 4): Pixels {
  const at = (x: number, y: number) => (Math.floor(y) * width + Math.floor(x)) * channels
  return {
    colour: (x, y) => `#${data.subarray(at(x, y), at(x, y) + 3).toString('hex')}`,
    brightness: (x, y) => data[at(x, y)]! + data[at(x, y) + 1]! + data[at(x, y) + 2]!,
    data,
  }
}

/** Returns the centre of a tone's mark, which is three quarters of a slot wide. */
export function markCentre(tone: number, slot: number): { x: number; y: number } {
  const { y } = markAt(tone, slot)
  const inside = (y / (STRIP.height - 1)) * (TONES_AREA.height - 6)
  return { x: xAfter(slot) + 0.375 * SLOT_WIDTH, y: TONES_AREA.y + 3 + inside }
}

/** Returns a point on each block of a lane, at its lower edge, below a long number. */
export function blockCentres(grid: ChordGrid, counter: number): { x: number; y: number }[] {
  const { y, height } = laneOf(counter)
  const { x } = blockBoxes()[counter < grid.columns ? 0 : 1]!
  return Array.from({ length: grid.rows }, (_, row) => ({
    x: x + row * (grid.block.height + grid.gap.y) + grid.block.height / 2,
    y: y + height - 4,
  }))
}
