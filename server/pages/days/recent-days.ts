// Renders the newest days as a row of small chords, for the front page.
import { smallChordOf, smallRowsFor } from '../../../archive/drawing/chord.ts'
import { ARCHIVE_URL, dayUrl } from '../../../archive/format/paths.ts'
import type { Snapshot } from '../../../archive/format/snapshot.ts'
import { sharedGrid, smallChord } from '../parts/charts.ts'
import { shortDate } from '../parts/dates.ts'
import { type Html, html } from '../parts/html.ts'
import { smallGrid } from '../static/chart-grid.ts'

/** @param days ascending @returns an empty text without any day */
export function recentDays(days: readonly Snapshot[]): Html | string {
  if (days.length === 0) return ''
  const grid = smallGrid(smallRowsFor(days.map(({ counters }) => smallChordOf(counters))))
  const cells = days.map(({ day, counters, coverage, conclusion }, i) => {
    const isNewMonth = i === 0 || day.endsWith('-01')
    const isWhole = coverage.status === 'complete'
    return html`<li>
      <a class="cell${isWhole ? '' : ' framed'}" href="${dayUrl(day)}">
        ${smallChord({ chord: smallChordOf(counters), grid, isWhole })}<span class="said">
          ${isNewMonth ? shortDate(day) : day.slice(8)}<span class="unseen"> ${conclusion}</span>
        </span>
      </a>
    </li>\n`
  })
  return html`<section aria-labelledby="days">
<h2 id="days">${days.length === 1 ? 'One day' : `The last ${days.length} days`}</h2>
${sharedGrid(grid)}<ol class="recent">
${cells}</ol>
<p><a href="${ARCHIVE_URL}">All days</a></p>
</section>`
}
