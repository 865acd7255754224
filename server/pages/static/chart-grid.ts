// The grids in which the server's pages and the decoder draw chords, and the columns in them.
import {
  type Chord,
  type ChordGrid,
  columnPath,
  SMALL_COLUMNS,
} from '../../../archive/drawing/chord.ts'

const COLUMN = { width: 10, gap: 2 }
/** Height of a block plus the gap above it, of a chord and of a small one. */
const LARGEST_PITCH = 7
const LARGEST_SMALL_PITCH = 10
const SMALLEST_PITCH = 2
const HEIGHT = 98
const SMALL_HEIGHT = 80

/** Height of the base line plus the gap above it. */
export const BASE = 3

/** Returns the grid of a chart with that many rows. More rows make the blocks lower rather than the chart taller. */
export const chartGrid = (rows: number): ChordGrid =>
  gridOf(rows, Math.min(LARGEST_PITCH, Math.floor(HEIGHT / rows)))

/** Returns the grid of small chords with that many rows. */
export const smallGrid = (rows: number): ChordGrid =>
  gridOf(rows, Math.min(LARGEST_SMALL_PITCH, Math.floor(SMALL_HEIGHT / rows)))

function gridOf(rows: number, fitting: number): ChordGrid {
  const pitch = Math.max(SMALLEST_PITCH, fitting)
  const gap = Math.ceil(pitch / 4)
  return {
    block: { width: COLUMN.width, height: pitch - gap },
    gap: { x: COLUMN.gap, y: gap },
    rows,
    columns: SMALL_COLUMNS.length,
  }
}

/** The columns of a chord as the attributes of paths; the style sheet has their colours. A count of 0 has none. */
export const columnPaths = (grid: ChordGrid, chord: Chord): { class: string; d: string }[] =>
  chord.flatMap((blocks, i) =>
    blocks ? { class: `tone-${SMALL_COLUMNS[i]}`, d: columnPath(grid, i, blocks) } : [],
  )
