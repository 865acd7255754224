// The grids in which the server's pages and the decoder draw chords, and the columns in them.
import {
  type Chord,
  type ChordGrid,
  columnPath,
  OUTLINED_COLUMN,
  outlinePath,
  SMALL_COLUMNS,
} from '../../../archive/drawing/chord.ts'
import { COUNTER_NAMES } from '../../../protocol/index.ts'

const COLUMN = { width: 10, gap: 2 }
/** Height of a block plus the gap above it, of a chord and of a small one. */
const LARGEST_PITCH = 7
const LARGEST_SMALL_PITCH = 10
const SMALLEST_PITCH = 2
const HEIGHT = 98
const SMALL_HEIGHT = 80

/** Height of the base line plus the gap above it. */
export const BASE = 3

/** The width of the outline of the bytes, as in the style sheet. */
const OUTLINE = 1.5

/** Returns the grid of a chart with that many rows. More rows make the blocks lower rather than the chart taller. */
export const chartGrid = (rows: number): ChordGrid =>
  gridOf(rows, COUNTER_NAMES.length, Math.min(LARGEST_PITCH, Math.floor(HEIGHT / rows)))

/** Returns the grid of small chords with that many rows. */
export const smallGrid = (rows: number): ChordGrid =>
  gridOf(rows, SMALL_COLUMNS.length, Math.min(LARGEST_SMALL_PITCH, Math.floor(SMALL_HEIGHT / rows)))

function gridOf(rows: number, columns: number, fitting: number): ChordGrid {
  const pitch = Math.max(SMALLEST_PITCH, fitting)
  const gap = Math.ceil(pitch / 4)
  return {
    block: { width: COLUMN.width, height: pitch - gap },
    gap: { x: COLUMN.gap, y: gap },
    rows,
    columns,
  }
}

/** The columns of a chord as the attributes of paths; the style sheet has their colours. A count of 0 has none. */
export const columnPaths = (grid: ChordGrid, chord: Chord): { class: string; d: string }[] =>
  chord.flatMap((blocks, i) => {
    if (!blocks) return []
    if (i !== OUTLINED_COLUMN) return { class: `tone-${i}`, d: columnPath(grid, i, blocks) }
    return { class: `outline tone-${i}`, d: outlinePath(grid, i, blocks, OUTLINE) }
  })
