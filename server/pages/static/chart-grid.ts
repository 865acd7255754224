// The grid in which pages draw chords, those of the server and of the decoder alike.
import type { ChordGrid } from '../../../archive/drawing/chord.ts'

const COLUMN = { width: 10, gap: 2 }
/** Of a block and the gap over it. */
const LARGEST_PITCH = 7
const SMALLEST_PITCH = 2
const HEIGHT = 98

/** What the base line and the room over it take. */
export const BASE = 3

/** The grid of charts with that many rows: more rows make lower blocks rather than a taller chart. */
export function chartGrid(rows: number): ChordGrid {
  const pitch = Math.min(LARGEST_PITCH, Math.max(SMALLEST_PITCH, Math.floor(HEIGHT / rows)))
  const gap = Math.ceil(pitch / 4)
  return {
    block: { width: COLUMN.width, height: pitch - gap },
    gap: { x: COLUMN.gap, y: gap },
    rows,
  }
}
