// The twelve counters as a grid, each with its name.
import { COUNTER_NAMES, type CounterName } from '../../protocol/index.ts'
import { MARGIN, PICTURE } from './layout.ts'
import { COLOUR } from './palette.ts'
import { text } from './svg.ts'

const COLUMNS = 4
const COLUMN_WIDTH = (PICTURE.width - 2 * MARGIN) / COLUMNS
const TOP = 284
const ROW_HEIGHT = 92
const LARGEST_VALUE = 38
/** What a value may take of its column, so that neighbours stay apart. */
const VALUE_WIDTH = COLUMN_WIDTH - 32

/** Widths in DejaVu Sans, in parts of the font size. */
const DIGIT_EM = 0.637
const SPACE_EM = 0.21
const NARROW_SPACE = '\u202f'

/** The grid of counters; null is shown as unavailable. All values have one size, at which the longest fits. */
export function counterGrid(counters: Record<CounterName, string | null>): string {
  const values = COUNTER_NAMES.map((name) => counters[name])
  const widest = Math.max(
    ...values.map((value) => (value === null ? 0 : widthInEm(grouped(value)))),
  )
  const size = Math.min(LARGEST_VALUE, Math.floor(VALUE_WIDTH / widest))
  return COUNTER_NAMES.map((name, i) => {
    const x = MARGIN + (i % COLUMNS) * COLUMN_WIDTH
    const y = TOP + Math.floor(i / COLUMNS) * ROW_HEIGHT
    const label = text(x, y, name.replaceAll('_', ' '), { size: 21, fill: COLOUR.secondary })
    return label + valueText(x, y + 41, counters[name], size)
  }).join('')
}

function valueText(x: number, y: number, value: string | null, size: number): string {
  if (value !== null) return text(x, y, grouped(value), { size })
  return (
    text(x, y, '—', { size: LARGEST_VALUE, fill: COLOUR.warning }) +
    text(x + 52, y - 3, 'unavailable', { size: 22, fill: COLOUR.warning })
  )
}

/** A decimal in groups of three digits: 18446744073709551615 as 18 446 744 073 709 551 615. */
export function grouped(decimal: string): string {
  return decimal.replaceAll(/\B(?=(?:\d{3})+$)/g, NARROW_SPACE)
}

function widthInEm(value: string): number {
  const spaces = value.split(NARROW_SPACE).length - 1
  return (value.length - spaces) * DIGIT_EM + spaces * SPACE_EM
}
