// The day's chord in the picture: twelve columns of blocks, each with its number and its name.
import {
  blockDashes,
  type ChordGrid,
  chordOf,
  columnPath,
  columnX,
  rowsFor,
  slashPath,
} from '../../archive/drawing/chord.ts'
import { NIGHT } from '../../archive/drawing/colours.ts'
import { COUNTER_NAMES, type CounterName } from '../../protocol/index.ts'
import { CHORD, chordBox, gridFor, LEFT } from './layout.ts'
import { element, FAINT, text } from './svg.ts'

export type Counters = Record<CounterName, string | null>

/** The names below the columns, short enough for one. */
const NAMES: Record<CounterName, string> = {
  messages: 'messages',
  message_bytes: 'bytes of text',
  directories: 'new directories',
  active_directories: 'directories used',
  investigations: 'investigations',
  observations: 'observations',
  attempts: 'attempts',
  corrections: 'corrections',
  results: 'results',
  reuses: 'reuses',
  sources: 'sources',
  reviews: 'reviews',
}

const NUMBER_BASELINE = 812
const NAME_BASELINE = 842
/** The size of numbers with so many digits below their column; longer ones stand upright in their bar. */
const NUMBER_SIZES: Record<number, number> = { 1: 58, 2: 58, 3: 58, 4: 49 }
const LARGEST_NUMBER = 58
/** Free above and below an upright number. */
const UPRIGHT_MARGIN = 8

/** Widths in DejaVu Sans, and the height of its digits, in parts of the font size. */
const DIGIT_EM = 0.637
const SPACE_EM = 0.21
const CAP_EM = 0.73
const NARROW_SPACE = '\u202f'

/** The chord without any count: all its blocks unlit. */
export function emptyChord(counters: Counters): string {
  const grid = gridOf(counters)
  return placed(
    grid,
    columns(
      grid,
      () => grid.rows,
      () => NIGHT.unlit,
    ),
  )
}

/** The chord of a day; a counter that was not counted has half its light and a slash over it. */
export function litChord(counters: Counters): string {
  const grid = gridOf(counters)
  const chord = chordOf(counters)
  const unlit = columns(
    grid,
    () => grid.rows,
    () => NIGHT.unlit,
    (i) => (chord[i] === null ? 0.5 : 1),
  )
  const lit = columns(
    grid,
    (i) => chord[i] ?? 0,
    (i) => NIGHT.tones[i]!,
  )
  const slashes = chord.map((blocks, i) =>
    blocks === null
      ? element('path', { d: slashPath(grid, i), stroke: NIGHT.warning, 'stroke-width': 5 })
      : '',
  )
  return placed(grid, unlit + lit + slashes.join('')) + uprightNumbers(counters, grid)
}

/** The numbers that are short enough to stand below their columns. */
export function shortNumbers(counters: Counters): string {
  const grid = gridOf(counters)
  return COUNTER_NAMES.map((name, i) => {
    const value = counters[name]
    const x = LEFT + columnX(grid, i)
    if (value === null)
      return text(x, NUMBER_BASELINE, '—', { size: LARGEST_NUMBER, fill: NIGHT.warning })
    const size = NUMBER_SIZES[value.length]
    return size === undefined
      ? ''
      : text(x, NUMBER_BASELINE, value, { size, fill: value === '0' ? FAINT : NIGHT.ink })
  }).join('')
}

/** What each column counts. */
export function columnNames(counters: Counters): string {
  const grid = gridOf(counters)
  return COUNTER_NAMES.map((name, i) =>
    text(LEFT + columnX(grid, i), NAME_BASELINE, NAMES[name], {
      size: 18,
      fill: NIGHT.secondary,
      condensed: true,
    }),
  ).join('')
}

/** The blocks of the longest column that can rise, and their height with the gap. */
export function gridOf(counters: Counters): ChordGrid {
  return gridFor(rowsFor([chordOf(counters)]))
}

function columns(
  grid: ChordGrid,
  blocks: (column: number) => number,
  colour: (column: number) => string,
  opacity: (column: number) => number = () => 1,
): string {
  const style = { 'stroke-width': grid.block.width, 'stroke-dasharray': blockDashes(grid) }
  const paths = COUNTER_NAMES.map((_, i) =>
    blocks(i) === 0
      ? ''
      : element('path', {
          d: columnPath(grid, i, blocks(i)),
          stroke: colour(i),
          'stroke-opacity': opacity(i),
        }),
  )
  return element('g', style, paths.join(''))
}

const placed = (grid: ChordGrid, content: string): string =>
  element('g', { transform: `translate(${LEFT} ${chordBox(grid).y})` }, content)

/** Each long number on its own bar, read from the base upwards; a long number always has a tall one. */
function uprightNumbers(counters: Counters, grid: ChordGrid): string {
  const base = CHORD.y + CHORD.height
  const chord = chordOf(counters)
  return COUNTER_NAMES.map((name, i) => {
    const value = counters[name]
    if (value === null || NUMBER_SIZES[value.length] !== undefined) return ''
    const height = chord[i]! * (grid.block.height + grid.gap.y) - grid.gap.y
    const size = Math.min(LARGEST_NUMBER, (height - 2 * UPRIGHT_MARGIN) / widthInEm(grouped(value)))
    const centre = LEFT + columnX(grid, i) + grid.block.width / 2
    // Without gaps behind it, the number is as legible as on paper.
    const plate = size * 1.1
    const length = widthInEm(grouped(value)) * size + 2 * UPRIGHT_MARGIN
    return (
      element('rect', {
        x: centre - plate / 2,
        y: base - length,
        width: plate,
        height: length,
        fill: NIGHT.tones[i]!,
      }) +
      text(centre + (size * CAP_EM) / 2, base - UPRIGHT_MARGIN, grouped(value), {
        size,
        fill: NIGHT.ground,
        rotate: -90,
      })
    )
  }).join('')
}

/** A decimal in groups of three digits: 18446744073709551615 as 18 446 744 073 709 551 615. */
const grouped = (decimal: string): string => decimal.replaceAll(/\B(?=(?:\d{3})+$)/g, NARROW_SPACE)

function widthInEm(value: string): number {
  const spaces = value.split(NARROW_SPACE).length - 1
  return (value.length - spaces) * DIGIT_EM + spaces * SPACE_EM
}
