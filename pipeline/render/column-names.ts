// Draws the name of each counter upright in its column, at the top, where most columns have no lit blocks.
import { chordSize, columnX } from '../../archive/drawing/chord.ts'
import { NIGHT } from '../../archive/drawing/colours.ts'
import { COUNTER_LABELS } from '../../archive/drawing/counter-labels.ts'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import { COUNTER_NAMES } from '../../protocol/index.ts'
import { gridOf } from './chord-figure.ts'
import { isUpright } from './chord-numbers.ts'
import { chordBox, LEFT } from './layout.ts'
import { text } from './svg.ts'

const LARGEST_SIZE = 50
const MARGIN = 10
/** Mean width of a character of DejaVu Sans Condensed, and the height of its capitals [em]. */
const CHARACTER_EM = 0.53
const CAP_EM = 0.73
/** Where the middle of a name is in its column, and where it is to the right of an upright number. */
const MIDDLE = 0.5
const NEXT_TO_NUMBER = 0.7

/** Draws all names. */
export function columnNames(counters: Snapshot['counters']): string {
  const grid = gridOf(counters)
  const { height } = chordSize(grid)
  return COUNTER_NAMES.map((name, i) => {
    const label = COUNTER_LABELS[name]
    const size = Math.min(LARGEST_SIZE, (height - 2 * MARGIN) / (label.length * CHARACTER_EM))
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
