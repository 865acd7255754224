// Draws the chord of the picture: twelve columns of lit and unlit blocks.
import {
  blockDashes,
  type Chord,
  type ChordGrid,
  chordOf,
  columnPath,
  OUTLINED_COLUMN,
  outlinePath,
  rowsFor,
  slashPath,
} from '../../archive/drawing/chord.ts'
import { NIGHT } from '../../archive/drawing/colours.ts'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import { COUNTER_NAMES } from '../../protocol/index.ts'
import { chordBox, gridFor, LEFT } from './layout.ts'
import { element } from './svg.ts'

type Counters = Snapshot['counters']

/** How one column is drawn. */
interface Column {
  blocks: number
  colour: string
  opacity?: number
}

/** Returns the grid for the chord of these counters. */
export const gridOf = (counters: Counters): ChordGrid => gridFor(rowsFor([chordOf(counters)]))

/** Draws the chord with all blocks unlit. */
export function emptyChord(counters: Counters): string {
  const grid = gridOf(counters)
  const unlit = COUNTER_NAMES.map(() => ({ blocks: grid.rows, colour: NIGHT.unlit }))
  return placed(grid, columns(grid, unlit))
}

/** Draws the chord of a day; a counter that was not counted is dimmed by half and crossed by a slash. */
export function litChord(counters: Counters): string {
  const grid = gridOf(counters)
  const chord = chordOf(counters)
  const unlit = chord.map((blocks) => ({
    blocks: grid.rows,
    colour: NIGHT.unlit,
    opacity: blocks === null ? 0.5 : 1,
  }))
  const lit = chord.map((blocks, i) => ({
    blocks: i === OUTLINED_COLUMN ? 0 : (blocks ?? 0),
    colour: NIGHT.tones[i]!,
  }))
  const slashes = chord.map((blocks, i) =>
    blocks === null
      ? element('path', { d: slashPath(grid, i), stroke: NIGHT.warning, 'stroke-width': 5 })
      : '',
  )
  return placed(
    grid,
    columns(grid, unlit) + columns(grid, lit) + outline(grid, chord) + slashes.join(''),
  )
}

/** Width of the outline of the bytes [pixels]. */
export const BORDER = 10

function outline(grid: ChordGrid, chord: Chord): string {
  const blocks = chord[OUTLINED_COLUMN]
  if (!blocks) return ''
  const d = outlinePath(grid, OUTLINED_COLUMN, blocks, BORDER)
  const stroke = NIGHT.tones[OUTLINED_COLUMN]!
  return element('path', { d, fill: 'none', stroke, 'stroke-width': BORDER })
}

function columns(grid: ChordGrid, drawn: readonly Column[]): string {
  const style = { 'stroke-width': grid.block.width, 'stroke-dasharray': blockDashes(grid) }
  const paths = drawn.map(({ blocks, colour, opacity = 1 }, i) => {
    if (blocks === 0) return ''
    const d = columnPath(grid, i, blocks)
    return element('path', { d, stroke: colour, 'stroke-opacity': opacity })
  })
  return element('g', style, paths.join(''))
}

const placed = (grid: ChordGrid, content: string): string =>
  element('g', { transform: `translate(${LEFT} ${chordBox(grid).y})` }, content)
