// Pixels of pictures and frames, and where a tone's mark is among them.
import { markAt, STRIP } from '../../../archive/drawing/tone-strip.ts'
import { SLOT_WIDTH, TONES_AREA, xAfter } from '../../../pipeline/render/layout.ts'

/** A picture as its pixels' colours, `#rrggbb`, and how bright each is: 0 to 765. */
export interface Pixels {
  colour(x: number, y: number): string
  brightness(x: number, y: number): number
  data: Buffer
}

/** @param data red, green, blue and, of four channels, alpha of each pixel, row by row */
export function pixelsOf({ data, width }: { data: Buffer; width: number }, channels = 4): Pixels {
  const at = (x: number, y: number) => (Math.floor(y) * width + Math.floor(x)) * channels
  return {
    colour: (x, y) => `#${data.subarray(at(x, y), at(x, y) + 3).toString('hex')}`,
    brightness: (x, y) => data[at(x, y)]! + data[at(x, y) + 1]! + data[at(x, y) + 2]!,
    data,
  }
}

/** The middle of a tone's mark, three quarters of a slot wide. */
export function markCentre(tone: number, slot: number): { x: number; y: number } {
  const { y } = markAt(tone, slot)
  const inside = (y / (STRIP.height - 1)) * (TONES_AREA.height - 6)
  return { x: xAfter(slot) + 0.375 * SLOT_WIDTH, y: TONES_AREA.y + 3 + inside }
}
