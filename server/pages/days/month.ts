// Renders the page of a month: its days as a calendar and as charts, and their films one after the other.

import { nextDay } from '../../../archive/format/calendar.ts'
import { INDEX_CSV_URL, INDEX_JSON_URL, monthUrl } from '../../../archive/format/paths.ts'
import type { PeriodView } from '../../transmissions/views.ts'
import { monthName } from '../parts/dates.ts'
import { type Html, html } from '../parts/html.ts'
import { periodCrumbs } from '../parts/paths.ts'
import { quantity } from '../static/counters.ts'
import { calendar } from './calendar.ts'
import { counterCharts } from './multiples.ts'

export function monthMain(view: PeriodView): Html {
  const { period: month, manifests } = view
  const days = manifests.map(({ snapshot }) => snapshot)
  const last = days.at(-1)?.day
  const query = last === undefined ? '' : `?before=${nextDay(last)}&limit=${days.length}`
  return html`<div class="crumbs-and-days">${periodCrumbs(month)}
${neighbours(view)}</div>
<h1>${monthName(month)}</h1>
<p class="lead">
  ${quantity(days.length, 'day is', 'days are')} archived${days.length === 0 ? ' but cannot be read now' : ''}.
  ${
    query &&
    html`<span class="links">
      <a href="${INDEX_JSON_URL}${query}">JSON</a>
      <a href="${INDEX_CSV_URL}${query}">CSV</a>
    </span>`
  }
</p>
${
  days.length === 0
    ? ''
    : html`${calendar(days, view.headlines, 'alone')}
${playlist(view)}
${counterCharts(days)}`
}`
}

const neighbours = ({ older, newer }: PeriodView): Html =>
  html`<nav class="neighbours" aria-label="Neighbouring months">
${older && html`<a href="${monthUrl(older)}" rel="prev">← ${monthName(older)}</a>`}
${newer && html`<a href="${monthUrl(newer)}" rel="next">${monthName(newer)} →</a>`}
</nav>`

/** The films of the month. static/day/month-player.ts plays them one after the other; without it, each has its link. */
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
<ol class="films" aria-label="Choose a day">${films.map(({ day, url }) => html`<li><a href="${url}">${day.slice(8)}</a></li>`)}</ol>
</section>`
}
