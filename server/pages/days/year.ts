// Renders the page of a year: the chord and the headline of each of its days, by month. A list takes fewer bytes than calendars.

import { smallChordOf, smallRowsFor } from '../../../archive/drawing/chord.ts'
import { monthUrl, yearUrl } from '../../../archive/format/paths.ts'
import type { PeriodView } from '../../transmissions/views.ts'
import { sharedGrid, smallChord } from '../parts/charts.ts'
import { quantity } from '../parts/counts.ts'
import { monthName } from '../parts/dates.ts'
import { type Html, html } from '../parts/html.ts'
import { periodCrumbs } from '../parts/paths.ts'
import { smallGrid } from '../static/chart-grid.ts'
import { HEADLINE_RULE, headlineRow, headlineText } from './headline.ts'

export function yearMain({ period, manifests, headlines, older, newer }: PeriodView): Html {
  const days = manifests.map(({ snapshot }) => snapshot).reverse()
  const grid = smallGrid(smallRowsFor(days.map(({ counters }) => smallChordOf(counters))))
  const months = [...Map.groupBy(days, ({ day }) => day.slice(0, 7))]
  return html`<div class="crumbs-and-days">${periodCrumbs(period)}
<nav class="neighbours" aria-label="Neighbouring years">
  ${older && html`<a href="${yearUrl(older)}" rel="prev">← ${older}</a>`}
  ${newer && html`<a href="${yearUrl(newer)}" rel="next">${newer} →</a>`}
</nav></div>
<h1>${period}</h1>
<p class="lead">${quantity(String(days.length), 'day is', 'days are')} archived.</p>
${sharedGrid(grid)}${months.map(
  ([month, shown]) => html`<section aria-labelledby="m${month}">
<h2 id="m${month}"><a href="${monthUrl(month)}">${monthName(month)}</a></h2>
<ol class="headlines year">
${shown.map((snapshot) => {
  const { day, counters, coverage } = snapshot
  const isWhole = coverage.status === 'complete'
  const chord = smallChord({ chord: smallChordOf(counters), grid, isWhole })
  return headlineRow(day, headlineText(headlines.get(day), snapshot), chord)
})}</ol>
</section>\n`,
)}
<p class="hint">${HEADLINE_RULE}</p>`
}
