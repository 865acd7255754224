// Draws the top of the picture: the day, and how far its counters can be trusted.
import { NIGHT } from '../../archive/drawing/colours.ts'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import type { Conclusion } from '../../protocol/index.ts'
import { DATE, LEFT, SMALLEST_TEXT, VERDICT } from './layout.ts'
import { element, text } from './svg.ts'

/** The mark next to each conclusion, so that its meaning does not depend on colour alone. */
type Mark = 'full' | 'ring' | 'triangle'

const STYLES: Record<Conclusion, { colour: string; mark: Mark }> = {
  active: { colour: NIGHT.good, mark: 'full' },
  quiet: { colour: NIGHT.calm, mark: 'ring' },
  inconclusive: { colour: NIGHT.warning, mark: 'triangle' },
}

const BRAND_BASELINE = 66
const VERDICT_BASELINE = 122
/** Of the two lines below the conclusion. */
const DETAIL_BASELINES = [184, DATE.baseline] as const
const VERDICT_SIZE = 72
const MARK_RADIUS = 24

/** Draws the service, next to it the day of the week, and below the date, large and thin. */
export function heading({ day, from }: Snapshot): string {
  const small = { size: SMALLEST_TEXT, fill: NIGHT.secondary }
  const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' })
  return (
    text(LEFT, BRAND_BASELINE, 'DAYSIGNAL', { ...small, weight: 700, spacing: 8 }) +
    text(LEFT + 470, BRAND_BASELINE, `${weekday.format(new Date(from))}, UTC`, small) +
    // The first digit is optically aligned with the left edge of the content below.
    text(LEFT - 12, DATE.baseline, day, { size: DATE.size, weight: 200, fill: NIGHT.ink })
  )
}

/** Draws the conclusion with its mark, and below it coverage, clock, and how many counters are missing. */
export function verdict({ conclusion, counters, coverage, clock }: Snapshot): string {
  const { colour, mark } = STYLES[conclusion]
  const middle = VERDICT_BASELINE - VERDICT_SIZE * 0.28
  const missing = Object.values(counters).filter((value) => value === null).length
  const clockLine = missing === 0 ? '' : `, ${missing} uncounted`
  return (
    markShape(mark, VERDICT.x + MARK_RADIUS + 2, middle, colour) +
    text(VERDICT.x + 2 * MARK_RADIUS + 28, VERDICT_BASELINE, conclusion, {
      size: VERDICT_SIZE,
      fill: colour,
    }) +
    detail(0, `coverage ${coverage.status}`, coverage.status === 'complete') +
    detail(1, `clock ${clock.status}${clockLine}`, clock.status === 'ok' && missing === 0)
  )
}

/** Draws a line below the conclusion, in amber if something is wrong. */
const detail = (line: 0 | 1, words: string, isWell: boolean): string =>
  text(VERDICT.x, DETAIL_BASELINES[line], words, {
    size: SMALLEST_TEXT,
    fill: isWell ? NIGHT.secondary : NIGHT.warning,
    condensed: true,
  })

/** Draws the text that the film shows instead of the conclusion until that is known. */
export const announcement = (headline: string, words: string, colour: string): string =>
  text(VERDICT.x, VERDICT_BASELINE, headline, { size: 64, fill: colour }) + detail(0, words, true)

/** Draws a mark centred at x, y, slightly taller than a lowercase letter. */
function markShape(mark: Mark, x: number, y: number, colour: string): string {
  if (mark === 'full') return element('circle', { cx: x, cy: y, r: MARK_RADIUS, fill: colour })
  const outline = { fill: 'none', stroke: colour, 'stroke-width': 7 }
  if (mark === 'ring') return element('circle', { cx: x, cy: y, r: MARK_RADIUS - 3, ...outline })
  const corners = `${x},${y - 24} ${x + 26},${y + 20} ${x - 26},${y + 20}`
  return element('polygon', { points: corners, ...outline, 'stroke-linejoin': 'round' })
}
