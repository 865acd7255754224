// Draws the top of the picture: the day, and how far its counters can be trusted.
import { NIGHT } from '../../archive/drawing/colours.ts'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import { COUNTER_NAMES, type Conclusion } from '../../protocol/index.ts'
import { DATE, LEFT, VERDICT } from './layout.ts'
import { element, escaped, text } from './svg.ts'

/** The mark next to each conclusion, so that its meaning does not depend on colour alone. */
type Mark = 'full' | 'ring' | 'triangle'

const STYLES: Record<Conclusion, { colour: string; mark: Mark }> = {
  active: { colour: NIGHT.good, mark: 'full' },
  quiet: { colour: NIGHT.calm, mark: 'ring' },
  inconclusive: { colour: NIGHT.warning, mark: 'triangle' },
}

const BRAND_BASELINE = 62
const VERDICT_BASELINE = 170
const VERDICT_SIZE = 72
const MARK_RADIUS = 24

/** Draws the name of the service and the day of the week. */
export function brand({ from }: Snapshot): string {
  return (
    text(LEFT, BRAND_BASELINE, 'DAYSIGNAL', {
      size: 26,
      weight: 700,
      spacing: 8,
      fill: NIGHT.secondary,
    }) +
    text(LEFT + 288, BRAND_BASELINE, `${weekday(from)}, UTC`, { size: 26, fill: NIGHT.secondary })
  )
}

/** Draws the date, large and thin. Its first digit is optically aligned with the left edge of the content below. */
export const date = ({ day }: Snapshot, fill: string = NIGHT.ink): string =>
  text(LEFT - 12, DATE.baseline, day, { size: DATE.size, weight: 200, fill })

/** Draws the conclusion with its mark and its reasons: missing counters above, coverage and clock below. */
export function verdict({ conclusion, counters, coverage, clock }: Snapshot): string {
  const { colour, mark } = STYLES[conclusion]
  const word = (known: string, expected: string) =>
    element('tspan', { fill: known === expected ? NIGHT.secondary : NIGHT.warning }, escaped(known))
  const middle = VERDICT_BASELINE - VERDICT_SIZE * 0.28
  return (
    missing(counters) +
    markShape(mark, VERDICT.x + MARK_RADIUS + 2, middle, colour) +
    text(VERDICT.x + 2 * MARK_RADIUS + 28, VERDICT_BASELINE, conclusion, {
      size: VERDICT_SIZE,
      fill: colour,
    }) +
    element(
      'text',
      { ...SECOND_LINE, fill: NIGHT.secondary },
      `coverage ${word(coverage.status, 'complete')}, clock ${word(clock.status, 'ok')}`,
    )
  )
}

const SECOND_LINE = {
  x: VERDICT.x,
  y: DATE.baseline,
  'font-family': 'DejaVu Sans',
  'font-size': 28,
} as const

/** Draws the number of counters that were not counted, if any. */
function missing(counters: Snapshot['counters']): string {
  const count = Object.values(counters).filter((value) => value === null).length
  if (count === 0) return ''
  const words = `${count} of ${COUNTER_NAMES.length} counters not counted`
  return text(VERDICT.x, BRAND_BASELINE, words, { size: 26, fill: NIGHT.warning })
}

/** Draws the text that the film shows instead of the conclusion until that is known. */
export function announcement(headline: string, detail: string, colour: string): string {
  return (
    text(VERDICT.x, VERDICT_BASELINE, headline, { size: 64, fill: colour }) +
    element('text', { ...SECOND_LINE, fill: NIGHT.secondary }, escaped(detail))
  )
}

function weekday(instant: string): string {
  return new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(
    new Date(instant),
  )
}

/** Draws a mark centred at x, y, slightly taller than a lowercase letter. */
function markShape(mark: Mark, x: number, y: number, colour: string): string {
  if (mark === 'full') return element('circle', { cx: x, cy: y, r: MARK_RADIUS, fill: colour })
  const outline = { fill: 'none', stroke: colour, 'stroke-width': 7 }
  if (mark === 'ring') return element('circle', { cx: x, cy: y, r: MARK_RADIUS - 3, ...outline })
  const corners = `${x},${y - 24} ${x + 26},${y + 20} ${x - 26},${y + 20}`
  return element('polygon', { points: corners, ...outline, 'stroke-linejoin': 'round' })
}
