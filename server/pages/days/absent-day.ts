// Renders the page of a day that is not archived: the reason, when the day is due, and the nearest archived days.

import { ARCHIVE_URL, dayUrl } from '../../../archive/format/paths.ts'
import type { AbsentView } from '../../transmissions/views.ts'
import { longDate, weekdayName } from '../parts/dates.ts'
import { type Html, html } from '../parts/html.ts'

export function absentDay({ day, reason, older, newer }: Omit<AbsentView, 'isClosed'>): Html {
  const near = [older, newer].filter((found) => found !== null)
  return html`<p class="crumbs"><a href="${ARCHIVE_URL}">Days</a></p>
<h1>${day === null ? 'No such day' : html`<time class="figures" datetime="${day}">${day}</time>`}</h1>
<p class="lead">${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}.</p>
${
  near.length === 0
    ? ''
    : html`<p>The nearest archived ${near.length === 1 ? 'day' : 'days'}:</p>
<ul>${near.map((found) => html`<li><a href="${dayUrl(found)}">${weekdayName(found)}, ${longDate(found)}</a></li>`)}</ul>`
}
<p class="hint">
  Each day becomes a transmission after it has ended, and none is ever removed. Status 404, code
  <code>snapshot_not_found</code>
</p>`
}
