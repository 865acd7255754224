// Draws the chord of the picture: twelve lanes of lit and unlit blocks, each with the name of its counter at the left and its
// number at the right.
import {
  BYTES,
  blockDashes,
  type ChordGrid,
  chordOf,
  chordSize,
  columnPath,
  rowsFor,
  slashPath,
  smallChordOf,
} from '../../archive/drawing/chord.ts'
import { NIGHT } from '../../archive/drawing/colours.ts'
import { COUNTER_LABELS } from '../../archive/drawing/counter-labels.ts'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import { COUNTER_NAMES } from '../../protocol/index.ts'
import { blockBoxes, gridFor, laneOf, NUMBER_ROOM } from './layout.ts'
import { element, FAINT, text } from './svg.ts'

type Counters = Snapshot['counters']

/** Width of the slash of a counter that was not counted [pixels]. */
const SLASH = 5

/** Returns the grid for each half of the chord of these counters. */
export const gridOf = (counters: Counters): ChordGrid => gridFor(rowsFor([smallChordOf(counters)]))

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
    return blocks === 0 ? unlit : unlit + blocksOf(grid, lane, blocks, colour)
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
        if (counter === BYTES) return ''
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

/** Font sizes of names and of the numbers beside and above the blocks [pixels]. */
const [NAME_SIZE, LARGEST_BESIDE, LARGEST_ABOVE] = [46, 58, 42]
/** Baselines of names and numbers, from the top of the lane. */
const BASELINES = { name: 46, beside: 50, above: 26 } as const
/** Glyph widths of DejaVu Sans Condensed [em]. */
const [DIGIT_EM, COMMA_EM] = [0.573, 0.286]
/** The most digits that fit beside the blocks. */
const MOST_DIGITS = 7

/** Whether a number has too many digits to stand beside its blocks, so that it stands above them. */
const isLong = (value: string | null): boolean => value !== null && value.length > MOST_DIGITS

/** Draws all names. */
export const counterNames = (): string =>
  COUNTER_NAMES.map((name, i) => {
    const { x, y } = laneOf(i)
    const style = { size: NAME_SIZE, condensed: true }
    return text(x, y + BASELINES.name, COUNTER_LABELS[name], style)
  }).join('')

/** Draws all numbers, with a dash for counters that are null. */
export const counterNumbers = (counters: Counters): string =>
  COUNTER_NAMES.map((name, i) => {
    const value = counters[name]
    const number = value === null ? '—' : grouped(value)
    const { x, y, width } = laneOf(i)
    const place = isLong(value) ? 'above' : 'beside'
    const [room, largest] = isLong(value)
      ? [NUMBER_ROOM.across, LARGEST_ABOVE]
      : [NUMBER_ROOM.beside, LARGEST_BESIDE]
    const fill = value === null ? NIGHT.warning : value === '0' ? FAINT : NIGHT.ink
    return text(x + width, y + BASELINES[place], number, {
      size: Math.min(largest, room / widthInEm(number)),
      fill,
      condensed: true,
      anchor: 'end',
    })
  }).join('')

/** Groups the digits of a decimal by three: 18446744073709551615 becomes 18,446,744,073,709,551,615. */
export const grouped = (decimal: string): string => decimal.replaceAll(/\B(?=(?:\d{3})+$)/g, ',')

function widthInEm(number: string): number {
  const commas = number.split(',').length - 1
  return (number.length - commas) * DIGIT_EM + commas * COMMA_EM
}
