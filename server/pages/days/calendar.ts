// Renders days as a calendar, in which each cell has the day's chord, conclusion and number of messages, next to the headlines.

import type { ChordGrid } from '../../../archive/drawing/chord.ts'
import { nextDay } from '../../../archive/format/calendar.ts'
import { dayUrl, monthUrl } from '../../../archive/format/paths.ts'
import type { Snapshot } from '../../../archive/format/snapshot.ts'
import type { Headlines } from '../../sections/headlines.ts'
import { sharedGrid, smallChord, smallGridOf } from '../parts/charts.ts'
import { DOUBLING } from '../parts/counts.ts'
import { monthName, weekdayNumber } from '../parts/dates.ts'
import { type Html, html } from '../parts/html.ts'
import { formatCount, quantity } from '../static/counters.ts'
import { status } from './coverage.ts'
import { HEADLINE_RULE, headlineRow, headlineText } from './headline.ts'

const CONCLUSIONS = ['active', 'quiet', 'inconclusive'] as const
/** Headlines of a month that are not folded. */
const UNFOLDED = 7
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

/**
 * Renders the months, newest first, with the days of each in ascending order.
 * @param days ascending
 * @param headlines listed next to the calendar, and shown where a cell is pointed at
 * @param today has a cell too, after those of its month; null on a mirror
 * @param heading whether the name of a month links to its page, or is left out because the month is alone on its page
 */
export function calendar(
  days: readonly Snapshot[],
  headlines: Headlines,
  today: string | null = null,
  heading: 'linked' | 'alone' = 'linked',
): Html {
  const grid = smallGridOf(days)
  const months = [...Map.groupBy(days, ({ day }) => day.slice(0, 7))].reverse()
  return html`${sharedGrid(grid)}${months.map(([name, shown], i) => month(name, shown, { grid, headlines, today, heading, legend: i === 0 ? LEGEND : '' }))}
${HEADLINE_RULE}`
}

const LEGEND = html`<p class="hint legend">
  The number is that of messages. Each column counts one thing. ${DOUBLING} A slash: not counted. A
  pale day in a frame: not observed in full.
  <span class="states">${CONCLUSIONS.map((word) => html`${status(word)} `)}</span>
</p>
`

interface Drawn {
  grid: ChordGrid
  headlines: Headlines
  today: string | null
  heading: 'linked' | 'alone'
  /** Below the calendar. */
  legend: Html | string
}

function month(name: string, days: Snapshot[], { grid, headlines, today, heading, legend }: Drawn) {
  const byDay = new Map(days.map((snapshot) => [snapshot.day, snapshot]))
  const [first, newest] = [days[0]?.day ?? '', days.at(-1)?.day ?? '']
  const last = today?.startsWith(name) ? today : newest
  const rows = days.toReversed().map((one) => headlineRow(headlines.get(one.day), one))
  const earlier = rows.splice(UNFOLDED)
  const cells: Html[] = []
  for (let day = first; day <= last; day = nextDay(day)) {
    const snapshot = byDay.get(day)
    const column = day === first ? html` class="weekday-${weekdayNumber(day)}"` : ''
    cells.push(
      html`<li${column}>${snapshot ? cell(snapshot, grid, headlineText(headlines.get(day), snapshot)) : emptyCell(day, day === today)}</li>\n`,
    )
  }
  return html`<section class="month" aria-labelledby="m${name}">
<h2 id="m${name}">
  ${heading === 'alone' ? 'The days' : html`<a href="${monthUrl(name)}">${monthName(name)}</a>`}
  <span class="hint tally">${summary(days)}</span>
</h2>
<div class="columns">
<div>
<p class="weekdays" aria-hidden="true">${WEEKDAYS.map((weekday) => html`<span>${weekday}</span>`)}</p>
<ol class="calendar">
${cells}</ol>
${legend}</div>
<div>
<ol class="headlines">
${rows}</ol>
${earlier.length > 0 && html`<details><summary>${quantity(earlier.length, 'earlier day')}</summary><ol class="headlines">${earlier}</ol></details>`}
</div>
</div>
</section>
`
}

/** `24 active, 4 quiet, 2 inconclusive` */
function summary(days: readonly Snapshot[]): string {
  const byWord = Map.groupBy(days, ({ conclusion }) => conclusion)
  return CONCLUSIONS.flatMap((word) =>
    byWord.has(word) ? `${byWord.get(word)?.length} ${word}` : [],
  ).join(', ')
}

function cell(snapshot: Snapshot, grid: ChordGrid, headline: string): Html {
  const { day, counters, coverage, conclusion } = snapshot
  const isWhole = coverage.status === 'complete'
  const { messages } = counters
  const seen = isWhole ? conclusion : `${conclusion}, coverage ${coverage.status}`
  const unit = messages === '1' ? 'message' : 'messages'
  const said =
    messages === null
      ? 'not counted'
      : html`${formatCount(messages)}<span class="unseen"> ${unit}</span>`
  return html`<a class="cell${isWhole ? '' : ' framed'}" href="${dayUrl(day)}">
    <span class="figures">${day.slice(8)}</span>
    <span class="status ${conclusion}"><span class="unseen">${seen}</span></span>
    ${smallChord(snapshot, grid)}<span class="said">${said}</span>
    <span class="tip" dir="auto">${headline}</span>
  </a>`
}

const emptyCell = (day: string, isToday: boolean): Html =>
  isToday
    ? html`<a class="cell" href="${dayUrl(day)}"><span class="figures">${day.slice(8)}</span> <span class="said">today</span></a>`
    : html`<span class="cell missing"><span class="figures">${day.slice(8)}</span> <span class="said">not archived</span></span>`
