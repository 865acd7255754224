// Draws the chord of the picture: twelve lanes of lit and unlit blocks.
import {
  blockDashes,
  type ChordGrid,
  chordOf,
  chordSize,
  columnPath,
  OUTLINED_COLUMN,
  outlinePath,
  rowsFor,
  slashPath,
} from '../../archive/drawing/chord.ts'
import { NIGHT } from '../../archive/drawing/colours.ts'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import { COUNTER_NAMES } from '../../protocol/index.ts'
import { isLong } from './chord-words.ts'
import { blockBoxes, gridFor } from './layout.ts'
import { element } from './svg.ts'

type Counters = Snapshot['counters']

/** Width of the outline of the bytes, and of the slash of a counter that was not counted [pixels]. */
const [BORDER, SLASH] = [8, 5]

/** Returns the grid for each half of the chord of these counters. */
export const gridOf = (counters: Counters): ChordGrid => gridFor(rowsFor([chordOf(counters)]))

/** Draws the chord with all blocks unlit. */
export const emptyChord = (counters: Counters): string =>
  halves(counters, (grid, lane) => blocksOf(grid, lane, grid.rows, NIGHT.unlit))

/** Draws the chord of a day; a counter that was not counted is dimmed by half and crossed by a slash. */
export function litChord(counters: Counters): string {
  const chord = chordOf(counters)
  return halves(counters, (grid, lane, counter) => {
    const [blocks, colour] = [chord[counter]!, NIGHT.tones[counter]!]
    if (blocks === null) {
      const slash = { d: slashPath(grid, lane), stroke: NIGHT.warning, 'stroke-width': SLASH }
      return blocksOf(grid, lane, grid.rows, NIGHT.unlit, 0.5) + element('path', slash)
    }
    const unlit = blocksOf(grid, lane, grid.rows, NIGHT.unlit)
    if (blocks === 0) return unlit
    if (counter !== OUTLINED_COLUMN) return unlit + blocksOf(grid, lane, blocks, colour)
    const d = outlinePath(grid, lane, blocks, BORDER)
    const outline = { d, fill: 'none', stroke: colour, 'stroke-width': BORDER }
    return unlit + element('path', outline)
  })
}

const blocksOf = (
  grid: ChordGrid,
  lane: number,
  blocks: number,
  colour: string,
  opacity = 1,
): string =>
  element('path', {
    d: columnPath(grid, lane, blocks),
    stroke: colour,
    'stroke-opacity': opacity,
    'stroke-width': grid.block.width,
    'stroke-dasharray': blockDashes(grid),
  })

/** Draws both halves, turned by 90 degrees so that columns become lanes with their base at the left. */
function halves(
  counters: Counters,
  draw: (grid: ChordGrid, lane: number, counter: number) => string,
): string {
  const grid = gridOf(counters)
  const { height } = chordSize(grid)
  return blockBoxes()
    .map(({ x, y }, half) => {
      const lanes = Array.from({ length: grid.columns }, (_, lane) => {
        const counter = half * grid.columns + lane
        if (!isLong(counters[COUNTER_NAMES[counter]!])) return draw(grid, lane, counter)
        const moved = { transform: `translate(${grid.block.width / 2} 0)` }
        return element('g', moved, draw(thin(grid), lane, counter))
      })
      return element('g', { transform: `matrix(0 1 -1 0 ${x + height} ${y})` }, lanes.join(''))
    })
    .join('')
}

/** The grid with lanes of half the height, for the lower half of a lane whose number needs the upper one. */
const thin = ({ block, gap, ...grid }: ChordGrid): ChordGrid => ({
  ...grid,
  block: { ...block, width: block.width / 2 },
  gap: { ...gap, x: gap.x + block.width / 2 },
})
