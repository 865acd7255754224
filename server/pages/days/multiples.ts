// Renders each counter over several days as bars, and all of them as a table.

import { COUNTER_LABELS } from '../../../archive/drawing/counter-labels.ts'
import { dayUrl } from '../../../archive/format/paths.ts'
import type { Snapshot } from '../../../archive/format/snapshot.ts'
import { COUNTER_NAMES, type CounterName } from '../../../protocol/index.ts'
import { countBars, counterKey, countOrDash, mostOf } from '../parts/counts.ts'
import { shortDate } from '../parts/dates.ts'
import { type Html, html } from '../parts/html.ts'
import { formatCount } from '../static/counters.ts'

/** static/day/values.ts reads the value under the pointer, or of the day chosen by keyboard, from the table. @param days ascending */
export const counterCharts = (days: readonly Snapshot[]): Html =>
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
          <td class="status ${conclusion}">${conclusion}</td>
          <td class="status ${coverage.status}">${coverage.status}</td>
          ${COUNTER_NAMES.map((name) => html`<td>${countOrDash(counters[name])}</td>`)}
        </tr>\n`,
  )
  return html`<div class="scroll" tabindex="0" role="region" aria-label="The counters of each day">
    <table class="all-counters">
      <thead>
        <tr>
          <th scope="col">Day</th>
          <th scope="col">Conclusion</th>
          <th scope="col">Coverage</th>
          ${COUNTER_NAMES.map((name, i) => html`<th scope="col">${counterKey(i)}${COUNTER_LABELS[name]}</th>`)}
        </tr>
      </thead>
      <tbody>
${rows}</tbody></table></div>`
}
