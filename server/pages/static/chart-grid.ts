// The grid in which the server's pages and the decoder draw chords.
import type { ChordGrid } from '../../../archive/drawing/chord.ts'

const COLUMN = { width: 10, gap: 2 }
/** Height of a block plus the gap above it. */
const LARGEST_PITCH = 7
const SMALLEST_PITCH = 2
const HEIGHT = 98

/** Height of the base line plus the gap above it. */
export const BASE = 3

/** Returns the grid of a chart with that many rows. More rows make the blocks lower rather than the chart taller. */
export function chartGrid(rows: number): ChordGrid {
  const pitch = Math.min(LARGEST_PITCH, Math.max(SMALLEST_PITCH, Math.floor(HEIGHT / rows)))
  const gap = Math.ceil(pitch / 4)
  return {
    block: { width: COLUMN.width, height: pitch - gap },
    gap: { x: COLUMN.gap, y: gap },
    rows,
  }
}
