// The day's chord: its twelve counters as columns of blocks, in the order of the frame, one block for each binary digit.
import { COUNTER_NAMES, type CounterName } from '../../protocol/index.ts'

/** The blocks of each column: 0 where there was none, null where it was not counted. */
export type Chord = readonly (number | null)[]

/** Rows that every chord has at least, so that small days can be compared. */
const LEAST_ROWS = 10

/** 0 has no block, 7 has 3, 553 has 10, 2^64-1 has 64. */
export const chordOf = (counters: Record<CounterName, string | null>): Chord =>
  COUNTER_NAMES.map((name) => {
    const count = counters[name]
    if (count === null) return null
    return count === '0' ? 0 : BigInt(count).toString(2).length
  })

/** The rows in which all these chords fit, so that they can be drawn to one scale. */
export const rowsFor = (chords: readonly Chord[]): number =>
  Math.max(LEAST_ROWS, ...chords.flatMap((chord) => chord.map((blocks) => blocks ?? 0)))

/** What a chord is drawn in, in any unit. */
export interface ChordGrid {
  block: { width: number; height: number }
  /** Between columns, and between the blocks of one. */
  gap: { x: number; y: number }
  rows: number
}

/** The height of so many blocks of a column, with the gaps between them. */
export const heightOf = ({ block, gap }: ChordGrid, blocks: number): number =>
  blocks * (block.height + gap.y) - gap.y

/** From the first column's left edge to the last one's right, and from the top of the last row to the base. */
export function chordSize(grid: ChordGrid): { width: number; height: number } {
  const { block, gap, rows } = grid
  const width = COUNTER_NAMES.length * (block.width + gap.x) - gap.x
  return { width, height: heightOf(grid, rows) }
}

/** The left edge of a column. */
export const columnX = ({ block, gap }: ChordGrid, column: number): number =>
  column * (block.width + gap.x)

/**
 * A column as SVG path data: one line upwards from the base. Stroked `block.width` wide with the
 * dashes of `blockDashes` it becomes its blocks.
 */
export function columnPath(grid: ChordGrid, column: number, blocks: number): string {
  const { height } = chordSize(grid)
  return `M${columnX(grid, column) + grid.block.width / 2} ${height}v-${heightOf(grid, blocks)}`
}

/** The `stroke-dasharray` that cuts a column's line into blocks. */
export const blockDashes = ({ block, gap }: ChordGrid): string => `${block.height} ${gap.y}`

/** What stands for a counter that was not counted, as SVG path data: a slash over its column. */
export function slashPath(grid: ChordGrid, column: number): string {
  const { height } = chordSize(grid)
  return `M${columnX(grid, column)} ${height}l${grid.block.width}-${height}`
}

/** All blocks of all columns, for the unlit grid behind a chord; drawn as a column is. */
export const gridPath = (grid: ChordGrid): string =>
  COUNTER_NAMES.map((_, column) => columnPath(grid, column, grid.rows)).join('')
