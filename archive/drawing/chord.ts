// Lays out a day's chord: its counters in frame order, each a column with one block for each binary digit. The bytes
// follow the messages and would outweigh the rest, so they have no blocks.
import { COUNTER_NAMES, type CounterName } from '../../protocol/index.ts'

/** The number of blocks in each column: 0 for a count of zero, null for an unavailable counter. */
export type Chord = readonly (number | null)[]

type Counters = Record<CounterName, string | null>

/** The minimum number of rows of a chord and of a small one, so that small days share a scale. */
const MIN_ROWS = 10
const MIN_SMALL_ROWS = 7

/** The counter without blocks, as an index of the frame's counters. */
export const BYTES = COUNTER_NAMES.indexOf('message_bytes')

/** The counters of a chord on a page, as indices of those of the frame. */
export const SMALL_COLUMNS: readonly number[] = COUNTER_NAMES.flatMap((_, i) =>
  i === BYTES ? [] : [i],
)

/** Counts the binary digits of each counter: 0 has no block, 7 has 3, 553 has 10, 2^64-1 has 64. */
export const chordOf = (counters: Counters): Chord =>
  COUNTER_NAMES.map((name) => {
    const count = counters[name]
    if (count === null) return null
    return count === '0' ? 0 : BigInt(count).toString(2).length
  })

/** As `chordOf`, without the bytes. */
export function smallChordOf(counters: Counters): Chord {
  const chord = chordOf(counters)
  return SMALL_COLUMNS.map((column) => chord[column]!)
}

/** The number of rows that fits all these chords, so that they can be drawn to one scale. */
export const rowsFor = (chords: readonly Chord[]): number => rowsOver(MIN_ROWS, chords)

/** As `rowsFor`, for small chords. */
export const smallRowsFor = (chords: readonly Chord[]): number => rowsOver(MIN_SMALL_ROWS, chords)

const rowsOver = (least: number, chords: readonly Chord[]): number =>
  Math.max(least, ...chords.flatMap((chord) => chord.map((blocks) => blocks ?? 0)))

/** The dimensions of a chord's grid, in any unit. */
export interface ChordGrid {
  block: { width: number; height: number }
  /** x: between columns; y: between the blocks of a column. */
  gap: { x: number; y: number }
  rows: number
  columns: number
}

/** The height of a stack of `blocks` blocks with the gaps between them. */
const heightOf = ({ block, gap }: ChordGrid, blocks: number): number =>
  blocks * (block.height + gap.y) - gap.y

/** The size of the whole grid, without any margin. */
export function chordSize(grid: ChordGrid): { width: number; height: number } {
  const { block, gap, rows, columns } = grid
  const width = columns * (block.width + gap.x) - gap.x
  return { width, height: heightOf(grid, rows) }
}

/** The left edge of a column. */
export const columnX = ({ block, gap }: ChordGrid, column: number): number =>
  column * (block.width + gap.x)

/**
 * A column as SVG path data: one line up from the base. Stroke it `block.width` wide with the dashes
 * of `blockDashes` to draw the blocks.
 */
export function columnPath(grid: ChordGrid, column: number, blocks: number): string {
  const { height } = chordSize(grid)
  return `M${columnX(grid, column) + grid.block.width / 2} ${height}v-${heightOf(grid, blocks)}`
}

/** The `stroke-dasharray` that cuts a column's line into blocks. */
export const blockDashes = ({ block, gap }: ChordGrid): string => `${block.height} ${gap.y}`

/** The mark of an unavailable counter as SVG path data: a slash across its column. */
export function slashPath(grid: ChordGrid, column: number): string {
  const { height } = chordSize(grid)
  return `M${columnX(grid, column)} ${height}l${grid.block.width}-${height}`
}

/** The full grid of unlit blocks behind a chord, as SVG path data; stroke it like a column. */
export const gridPath = (grid: ChordGrid): string =>
  Array.from({ length: grid.columns }, (_, column) => columnPath(grid, column, grid.rows)).join('')
