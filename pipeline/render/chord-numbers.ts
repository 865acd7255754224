// Draws the names of the counters and their values: short ones below their columns, long ones rotated upright in their bars.
import {
  chordOf,
  chordSize,
  columnX,
  heightOf,
  OUTLINED_COLUMN,
} from '../../archive/drawing/chord.ts'
import { NIGHT } from '../../archive/drawing/colours.ts'
import { COUNTER_LABELS } from '../../archive/drawing/counter-labels.ts'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import { COUNTER_NAMES } from '../../protocol/index.ts'
import { BORDER, gridOf } from './chord-figure.ts'
import { CHORD, chordBox, LEFT } from './layout.ts'
import { CAP_EM, CONDENSED_EM, element, FAINT, text } from './svg.ts'

const BASELINE = 778
const LARGEST_SIZE = 58
const LARGEST_UPRIGHT_SIZE = 50
/** Font size below a column, by number of digits; longer numbers do not fit there. */
const SIZES: Record<number, number> = { 1: LARGEST_SIZE, 2: LARGEST_SIZE, 3: LARGEST_SIZE, 4: 49 }

/** Margin above and below an upright number [pixels], and the width of the plate behind it in font sizes. */
const UPRIGHT = { margin: 8, plate: 1.1 }

/** Glyph widths of DejaVu Sans, in em. */
const DIGIT_EM = 0.637
const SPACE_EM = 0.21
const NARROW_SPACE = '\u202f'

/** Whether a number is too long to stand below its column. */
const isUpright = (value: string | null): boolean =>
  value !== null && SIZES[value.length] === undefined

/** Where the middle of an upright number is in its column: left of the name. */
const NEXT_TO_NAME = 0.32

/** Draws the short numbers below their columns, with a dash for counters that are null. */
export function shortNumbers(counters: Snapshot['counters']): string {
  const grid = gridOf(counters)
  return COUNTER_NAMES.map((name, i) => {
    const value = counters[name]
    const x = LEFT + columnX(grid, i)
    if (value === null) return text(x, BASELINE, '—', { size: LARGEST_SIZE, fill: NIGHT.warning })
    const size = SIZES[value.length]
    if (size === undefined) return ''
    return text(x, BASELINE, value, { size, fill: value === '0' ? FAINT : NIGHT.ink })
  }).join('')
}

/** Draws each long number on its own bar, which has at least 14 blocks for 5 digits and up to 64 for 20. */
export function longNumbers(counters: Snapshot['counters']): string {
  const grid = gridOf(counters)
  const chord = chordOf(counters)
  return COUNTER_NAMES.map((name, i) => {
    const value = counters[name]
    if (value === null || !isUpright(value)) return ''
    const height = heightOf(grid, chord[i]!)
    const centre = LEFT + columnX(grid, i) + grid.block.width * NEXT_TO_NAME
    const tone = NIGHT.tones[i]!
    return i === OUTLINED_COLUMN
      ? upright(grouped(value), centre, height - BORDER, { number: tone, plate: NIGHT.ground })
      : upright(grouped(value), centre, height, { number: NIGHT.ground, plate: tone })
  }).join('')
}

/** Draws a number that reads upwards, as large as its bar allows, on a plate that covers the gaps between the blocks. */
function upright(
  number: string,
  centre: number,
  barHeight: number,
  colours: { number: string; plate: string },
): string {
  const base = CHORD.y + CHORD.height
  const size = Math.min(LARGEST_UPRIGHT_SIZE, (barHeight - 2 * UPRIGHT.margin) / widthInEm(number))
  const width = size * UPRIGHT.plate
  const height = widthInEm(number) * size + 2 * UPRIGHT.margin
  const baseline = centre + (size * CAP_EM) / 2
  return (
    element('rect', {
      x: centre - width / 2,
      y: base - height,
      width,
      height,
      fill: colours.plate,
    }) + text(baseline, base - UPRIGHT.margin, number, { size, fill: colours.number, rotate: -90 })
  )
}

/** Groups the digits of a decimal by three: 18446744073709551615 becomes 18 446 744 073 709 551 615. */
const grouped = (decimal: string): string => decimal.replaceAll(/\B(?=(?:\d{3})+$)/g, NARROW_SPACE)

function widthInEm(number: string): number {
  const spaces = number.split(NARROW_SPACE).length - 1
  return (number.length - spaces) * DIGIT_EM + spaces * SPACE_EM
}

const LARGEST_NAME = 50
const MARGIN = 10
/** Where the middle of a name is in its column, and where it is to the right of an upright number. */
const MIDDLE = 0.5
const NEXT_TO_NUMBER = 0.7

/** Draws the name of each counter upright in its column, at the top, where most columns have no lit blocks. */
export function columnNames(counters: Snapshot['counters']): string {
  const grid = gridOf(counters)
  const { height } = chordSize(grid)
  return COUNTER_NAMES.map((name, i) => {
    const label = COUNTER_LABELS[name]
    const size = Math.min(LARGEST_NAME, (height - 2 * MARGIN) / (label.length * CONDENSED_EM))
    const part = isUpright(counters[name]) ? NEXT_TO_NUMBER : MIDDLE
    const middle = LEFT + columnX(grid, i) + grid.block.width * part
    return text(middle + (size * CAP_EM) / 2, chordBox(grid).y + MARGIN, label, {
      size,
      fill: NIGHT.ink,
      outline: NIGHT.ground,
      condensed: true,
      anchor: 'end',
      rotate: -90,
    })
  }).join('')
}
