// The top of the picture: the day, and how far its counters can be trusted.
import type { Snapshot } from '../../archive/format/snapshot.ts'
import type { ClockStatus, Conclusion } from '../../protocol/index.ts'
import { grouped } from './counter-grid.ts'
import { MARGIN } from './layout.ts'
import { COLOUR } from './palette.ts'
import { element, text } from './svg.ts'

const LABEL_Y = 92
const VALUE_Y = 142
const HINT_Y = 186
const STATUS_X = { conclusion: 880, coverage: 1230, clock: 1560 }
const STATUS_WIDTH = 280

/** A mark next to each word, so that no meaning rests on colour alone. */
type Mark = 'full' | 'ring' | 'triangle'
interface Status {
  colour: string
  mark: Mark
  hint: string
}

const CONCLUSIONS: Record<Conclusion, Status> = {
  active: { colour: COLOUR.good, mark: 'full', hint: 'something was published' },
  quiet: { colour: COLOUR.calm, mark: 'ring', hint: 'nothing was published' },
  inconclusive: { colour: COLOUR.warning, mark: 'triangle', hint: 'not everything is known' },
}

const CLOCKS: Record<ClockStatus, Status> = {
  ok: { colour: COLOUR.good, mark: 'full', hint: 'ran evenly' },
  stepped: { colour: COLOUR.warning, mark: 'triangle', hint: 'jumped by over a second' },
  unverified: { colour: COLOUR.secondary, mark: 'ring', hint: 'no server was observed' },
}

const COVERAGE_MARKS = {
  complete: { colour: COLOUR.good, mark: 'full' },
  partial: { colour: COLOUR.warning, mark: 'triangle' },
  none: { colour: COLOUR.secondary, mark: 'ring' },
} as const

/** The day as a large date, then conclusion, coverage (with the day as a bar) and clock. */
export function header(snapshot: Snapshot): string {
  const { conclusion, coverage, clock } = snapshot
  const seconds = grouped(String(coverage.observed_seconds))
  return (
    text(MARGIN - 6, 178, snapshot.day, { size: 124, weight: 200 }) +
    text(MARGIN, 60, 'DAYSIGNAL', { size: 20, weight: 700, spacing: 6, fill: COLOUR.secondary }) +
    text(MARGIN + 196, 60, `${weekday(snapshot.from)}, 0 to 24 h UTC`, {
      size: 20,
      fill: COLOUR.secondary,
    }) +
    status(STATUS_X.conclusion, 'conclusion', conclusion, CONCLUSIONS[conclusion]) +
    status(STATUS_X.coverage, 'coverage', coverage.status, {
      ...COVERAGE_MARKS[coverage.status],
      hint: `${seconds} of ${grouped('86400')} s`,
    }) +
    dayBar(STATUS_X.coverage, HINT_Y + 18, snapshot) +
    status(STATUS_X.clock, 'clock', clock.status, CLOCKS[clock.status])
  )
}

function weekday(instant: string): string {
  return new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(
    new Date(instant),
  )
}

function status(x: number, label: string, word: string, { colour, mark, hint }: Status): string {
  return (
    text(x, LABEL_Y, label, { size: 21, fill: COLOUR.secondary }) +
    markShape(mark, x + 12, VALUE_Y - 13, colour) +
    text(x + 38, VALUE_Y, word, { size: 36, fill: colour }) +
    text(x, HINT_Y, hint, { size: 20, fill: COLOUR.secondary })
  )
}

function markShape(mark: Mark, x: number, y: number, colour: string): string {
  if (mark === 'full') return element('circle', { cx: x, cy: y, r: 11, fill: colour })
  const outline = { fill: 'none', stroke: colour, 'stroke-width': 3 }
  if (mark === 'ring') return element('circle', { cx: x, cy: y, r: 10, ...outline })
  const corners = `${x},${y - 11} ${x + 12},${y + 10} ${x - 12},${y + 10}`
  return element('polygon', { points: corners, ...outline, 'stroke-linejoin': 'round' })
}

/** The 24 hours from left to right: filled where a server was observed, an empty frame where none was. */
function dayBar(x: number, y: number, { from, to, coverage }: Snapshot): string {
  const height = 10
  const start = Date.parse(from)
  const scale = STATUS_WIDTH / (Date.parse(to) - start)
  const bar = (left: number, width: number, fill: string) =>
    element('rect', { x: left, y, width, height, fill })
  const gaps = coverage.reasons
    .filter((reason) => reason.code === 'service_not_running')
    .map((gap) => {
      const left = x + (Date.parse(gap.from) - start) * scale
      const width = (Date.parse(gap.to) - Date.parse(gap.from)) * scale
      return bar(left, width, COLOUR.background)
    })
  const frame = {
    x: x + 0.5,
    y: y + 0.5,
    width: STATUS_WIDTH - 1,
    height: height - 1,
    fill: 'none',
  }
  return (
    bar(x, STATUS_WIDTH, COLOUR.good) +
    gaps.join('') +
    element('rect', { ...frame, stroke: COLOUR.faint })
  )
}
