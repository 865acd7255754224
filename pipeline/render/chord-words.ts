// Draws the name of each counter at the left of its lane, and its number at the right.
import { NIGHT } from '../../archive/drawing/colours.ts'
import { COUNTER_LABELS } from '../../archive/drawing/counter-labels.ts'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import { COUNTER_NAMES } from '../../protocol/index.ts'
import { laneOf, NUMBER_ROOM } from './layout.ts'
import { FAINT, text } from './svg.ts'

type Counters = Snapshot['counters']

/** Font sizes of names and of the numbers beside and above the blocks [pixels]. */
const [NAME_SIZE, LARGEST_BESIDE, LARGEST_ABOVE] = [46, 58, 42]
/** Baselines of names and numbers, from the top of the lane. */
const BASELINES = { name: 46, beside: 50, above: 26 } as const
/** Glyph widths of DejaVu Sans Condensed [em]. */
const [DIGIT_EM, SPACE_EM] = [0.573, 0.18]
const NARROW_SPACE = '\u202f'
/** The most digits that fit beside the blocks. */
const MOST_DIGITS = 7

/** Whether a number has too many digits to stand beside its blocks, so that it stands above them. */
export const isLong = (value: string | null): boolean =>
  value !== null && value.length > MOST_DIGITS

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

/** Groups the digits of a decimal by three: 18446744073709551615 becomes 18 446 744 073 709 551 615. */
export const grouped = (decimal: string): string =>
  decimal.replaceAll(/\B(?=(?:\d{3})+$)/g, NARROW_SPACE)

function widthInEm(number: string): number {
  const spaces = number.split(NARROW_SPACE).length - 1
  return (number.length - spaces) * DIGIT_EM + spaces * SPACE_EM
}
