// Renders the page of the current day: its numbers so far, what was written, and when it becomes a transmission.

import { COUNTER_LABELS } from '../../../archive/drawing/counter-labels.ts'
import { ARCHIVE_URL, dayUrl } from '../../../archive/format/paths.ts'
import { COUNTER_NAMES } from '../../../protocol/index.ts'
import type { TodayView } from '../../transmissions/views.ts'
import { chordChart } from '../parts/charts.ts'
import { counterKey } from '../parts/counts.ts'
import { shortDate } from '../parts/dates.ts'
import { type Html, html } from '../parts/html.ts'
import { neighbourLinks } from '../parts/paths.ts'
import { formatCount } from '../static/counters.ts'
import { exampleDay, nextSentence } from './absent-day.ts'
import { dayHead } from './day.ts'
import { firstRecordsSection } from './records.ts'

export function todayMain(view: TodayView): Html {
  const { today, older, firstRecords, headlines } = view
  const { day, counters } = today
  const headline = headlines.get(day)
  return html`<div class="crumbs-and-days"><p class="crumbs"><a href="${ARCHIVE_URL}">Days</a></p>${neighbourLinks('days', { older }, dayUrl, shortDate)}</div>
${dayHead(day, ', so far', headline)}
<div class="columns">
${firstRecordsSection(day, firstRecords, counters.messages, headline)}
<section aria-labelledby="counted">
<h2 id="counted">What was counted so far</h2>
<p class="hint">This day is not over. It is counted after midnight UTC and then becomes sound. ${nextSentence(view)}</p>
${chordChart(counters)}
<table class="counters so-far">
  <thead><tr><th scope="col">Counter</th><th scope="col" class="number">So far</th></tr></thead>
  <tbody>
${COUNTER_NAMES.map(
  (name, tone) => html`<tr>
    <th scope="row">${counterKey(tone)}${COUNTER_LABELS[name]}</th>
    <td class="count">${formatCount(counters[name])}</td>
  </tr>\n`,
)}</tbody></table>
</section>
</div>
${older ? '' : exampleDay()}`
}
