// Renders the page of a year: the chord and the headline of each of its days, by month. A list takes fewer bytes than calendars.

import { monthUrl, yearUrl } from '../../../archive/format/paths.ts'
import type { Snapshot } from '../../../archive/format/snapshot.ts'
import { DAY_MS } from '../../../protocol/index.ts'
import type { PeriodView } from '../../transmissions/views.ts'
import { sharedGrid, smallChord, smallGridOf } from '../parts/charts.ts'
import { monthName, SHORT_MONTHS, weekdayNumber } from '../parts/dates.ts'
import { type Html, html } from '../parts/html.ts'
import { neighbourLinks, periodCrumbs } from '../parts/paths.ts'
import { quantity } from '../static/counters.ts'
import { HEADLINE_RULE, headlineRow } from './headline.ts'

export function yearMain(view: PeriodView): Html {
  const { period, manifests, headlines } = view
  const days = manifests.map(({ snapshot }) => snapshot).reverse()
  const grid = smallGridOf(days)
  const months = [...Map.groupBy(days, ({ day }) => day.slice(0, 7))]
  return html`<div class="crumbs-and-days">${periodCrumbs(period)}${neighbourLinks('years', view, yearUrl, String)}</div>
<h1>${period}</h1>
<p class="lead">${quantity(days.length, 'day is', 'days are')} archived.</p>
${picture(days, period)}
${sharedGrid(grid)}${months.map(
  ([month, shown]) => html`<section aria-labelledby="m${month}">
<h2 id="m${month}"><a href="${monthUrl(month)}">${monthName(month)}</a></h2>
<ol class="headlines year">
${shown.map((snapshot) =>
  headlineRow(headlines.get(snapshot.day), snapshot, smallChord(snapshot, grid)),
)}</ol>
</section>\n`,
)}
${HEADLINE_RULE}`
}

const PITCH = 10
const BLOCK = 8
/** A year is drawn in halves of 27 weeks, which are beside each other if there is room; one without a day is left out. */
const HALF = 27 * PITCH
/** The strength of a day doubles its messages: 1, 2–3, 4–7, 8–15, more. 0 and days without a count have a frame. */
const LEVELS = [0.25, 0.45, 0.65, 0.85, 1]

/** Draws each day of a year as a block: a column a week, from Monday to Sunday. @param days archived ones */
function picture(days: readonly Snapshot[], year: string): Html {
  const weekday = (weekdayNumber(`${year}-01-01`) + 6) % 7
  const column = (i: number) => Math.floor((i + weekday) / 7) * PITCH
  const start = (i: number) => `M${column(i)} ${((i + weekday) % 7) * PITCH + BLOCK / 2}`
  const block = (i: number) => `${start(i)}h${BLOCK}`
  const first = Date.parse(`${year}-01-01`)
  const length = (Date.parse(`${Number(year) + 1}-01-01`) - first) / DAY_MS
  const nth = (day: string) => (Date.parse(day) - first) / DAY_MS
  const lit = LEVELS.map(() => '')
  let framed = ''
  for (const { day, counters } of days) {
    const level = Math.min(BigInt(counters.messages ?? 0).toString(2).length, LEVELS.length) - 1
    if (counters.messages && counters.messages !== '0') lit[level] += block(nth(day))
    else framed += `${start(nth(day))}m.5-3.5h7v7h-7z`
  }
  const unlit = Array.from({ length }, (_, i) => block(i)).join('')
  const half = (from: number, blocks: Html) => html`<div>
<svg viewBox="${from} 0 ${HALF} ${7 * PITCH}" fill="none" stroke-width="${BLOCK}" aria-hidden="true">${blocks}</svg>
<svg class="months" aria-hidden="true">${SHORT_MONTHS.map((month, i) => {
    const x = column(nth(`${year}-${String(i + 1).padStart(2, '0')}-01`)) - from
    // Its name needs two columns.
    const isHere = x > -2 * PITCH && x < HALF - PITCH
    return (
      isHere &&
      html`<text x="${((100 * Math.max(0, x)) / HALF).toFixed(1)}%" y="1em">${month}</text>`
    )
  })}</svg></div>`
  const blocks = html`<g id="blocks"><path class="unlit" d="${unlit}"/>
  ${lit.map((path, i) => path && html`<path class="tone-0" stroke-opacity="${LEVELS[i]}" d="${path}"/>`)}
  <path class="tone-0" stroke-width="1" d="${framed}"/></g>`
  const halves = new Set(days.map(({ day }) => HALF * Math.floor(column(nth(day)) / HALF)))
  return html`<figure class="picture"><div>${[...halves].sort((a, b) => a - b).map((from, i) => half(from, i === 0 ? blocks : html`<use href="#blocks"/>`))}</div>
<figcaption>Each block is a day, each column a week. Stronger with more messages: 1, 2–3, 4–7, 8–15, more. In a frame: none, or not counted.</figcaption>
</figure>`
}
