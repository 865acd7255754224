// Renders the page of a month: its days as a calendar, their films in turn, each counter as bars, and all as a table.

import { COUNTER_LABELS } from '../../../archive/drawing/counter-labels.ts'
import { dayOf, nextDay } from '../../../archive/format/calendar.ts'
import { dayUrl, INDEX_CSV_URL, INDEX_JSON_URL, monthUrl } from '../../../archive/format/paths.ts'
import type { Snapshot } from '../../../archive/format/snapshot.ts'
import { COUNTER_NAMES, type CounterName } from '../../../protocol/index.ts'
import type { PeriodView } from '../../transmissions/views.ts'
import { countBars, counterKey, countOrDash, mostOf } from '../parts/counts.ts'
import { monthName, shortDate } from '../parts/dates.ts'
import { type Html, html } from '../parts/html.ts'
import { neighbourLinks, periodCrumbs } from '../parts/paths.ts'
import { formatCount, quantity } from '../static/counters.ts'
import { calendar } from './calendar.ts'

export function monthMain(view: PeriodView): Html {
  const { period: month, manifests } = view
  const days = manifests.map(({ snapshot }) => snapshot)
  const last = days.at(-1)?.day
  const query = last && `?before=${nextDay(last)}&limit=${days.length}`
  return html`<div class="crumbs-and-days">${periodCrumbs(month)}${neighbourLinks('months', view, monthUrl, monthName)}</div>
<h1>${monthName(month)}</h1>
<p class="lead">
  ${quantity(days.length, 'day is', 'days are')} archived${days.length === 0 ? ' but cannot be read now' : ''}.
</p>
${
  days.length === 0
    ? ''
    : html`${calendar(days, view.headlines, view.isMirror ? null : dayOf(view.now), 'alone')}
${playlist(view)}
${counterCharts(days)}
<p class="links">
  <a href="${INDEX_JSON_URL}${query}">JSON</a>
  <a href="${INDEX_CSV_URL}${query}">CSV</a>
</p>`
}`
}

/** The films of the month. static/day/page.ts plays them one after the other; without it, each has its link. */
function playlist({ period: month, manifests }: PeriodView): Html | string {
  const films = manifests.flatMap(({ day, media: { mp4, png } }) =>
    mp4.available ? [{ day, ...mp4, poster: png.available ? png.url : '' }] : [],
  )
  const [first] = films
  if (!first) return ''
  return html`<section class="night playlist" aria-labelledby="play">
<h2 id="play">Play the month</h2>
<video controls playsinline preload="none" width="${first.width}" height="${first.height}"
  ${first.poster && html`poster="${first.poster}" `}src="${first.url}"
  aria-label="The films of ${monthName(month)}"></video>
<p class="hint">The films of its days. Choose a day:</p>
<ol class="films" aria-label="Choose a day">${films.map(({ day, url }) => html`<li><a href="${url}">${day.slice(8)}</a></li>`)}</ol>
</section>`
}

/** static/day/page.ts reads the value under the pointer, or of the day chosen by keyboard, from the table. @param days ascending */
const counterCharts = (days: readonly Snapshot[]): Html =>
  html`<section aria-labelledby="counters">
<h2 id="counters">Each counter over these days</h2>
<div class="multiples">
${COUNTER_NAMES.map((name, tone) => multiple(days, name, tone))}</div>
<details class="table"><summary>As a table</summary>
${table(days)}
</details>
</section>`

const multiple = (days: readonly Snapshot[], name: CounterName, tone: number): Html => html`<figure>
  <figcaption>
    <b>${COUNTER_LABELS[name]}</b>
    <span>
      latest ${formatCount(days.at(-1)?.counters[name] ?? null)}, max ${formatCount(mostOf(days, name))}
    </span>
  </figcaption>
  ${countBars(days, name, tone)}${axis(days)}
</figure>
`

/** The first and the last day, under the bars. */
const axis = (days: readonly Snapshot[]): Html => {
  const [first, last] = [days[0]?.day ?? '', days.at(-1)?.day ?? '']
  const ends = last === first ? [first] : [first, last]
  return html`<p class="axis" aria-hidden="true">
    ${ends.map((day) => html`<span>${shortDate(day)}</span>`)}
  </p>`
}

function table(days: readonly Snapshot[]): Html {
  const rows = days.toReversed().map(
    ({ day, counters, coverage, conclusion }) =>
      html`<tr>
          <th scope="row"><a href="${dayUrl(day)}">${day}</a></th>
          ${COUNTER_NAMES.map((name) => html`<td>${countOrDash(counters[name])}</td>`)}
          <td class="status ${conclusion}">${conclusion}</td>
          <td class="status ${coverage.status}">${coverage.status}</td>
        </tr>\n`,
  )
  return html`<div class="scroll" tabindex="0" role="region" aria-label="The counters of each day">
    <table class="all-counters">
      <thead>
        <tr>
          <th scope="col">Day</th>
          ${COUNTER_NAMES.map((name, i) => html`<th scope="col">${counterKey(i)}${COUNTER_LABELS[name]}</th>`)}
          <th scope="col">Conclusion</th>
          <th scope="col">Coverage</th>
        </tr>
      </thead>
      <tbody>
${rows}</tbody></table></div>`
}
