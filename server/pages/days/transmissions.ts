// Renders the pages of the archive: the list of days, one day, and a day that is not archived.
import { html } from 'hono/html'
import { tonesOf } from '../../../archive/drawing/tone-strip.ts'
import {
  ARCHIVE_FEED_URL,
  ARCHIVE_URL,
  DECODER_URL,
  dayUrl,
  INDEX_CSV_URL,
  INDEX_JSON_URL,
  PROTOCOL_URL,
  snapshotUrl,
} from '../../../archive/format/paths.ts'
import type { Snapshot } from '../../../archive/format/snapshot.ts'
import type { DayView, ListView, TransmissionPages } from '../../transmissions/views.ts'
import { dayFeed } from '../feeds/feeds.ts'
import { layout } from '../frame/layout.ts'
import { filmOf, pictureOf, type Sharing } from '../frame/sharing.ts'
import { countBars, counterKey, countText, mostOf } from '../parts/counts.ts'
import type { Html } from '../parts/html.ts'
import { COUNTER_LABELS, COUNTERS } from '../static/counter-labels.ts'
import { absentDay } from './absent-day.ts'
import { calendar } from './calendar.ts'
import { conclusionSentence } from './coverage.ts'
import { dayMain } from './day.ts'
import { mirrorCommands } from './keeping.ts'
import { nextSentence } from './next.ts'

const section = 'transmissions'

/** @param dayScript the URL of static/day-page */
export const transmissionPages = (dayScript: string): TransmissionPages => ({
  feed: dayFeed,
  list: (view) =>
    layout({
      title: 'Days',
      section,
      sheet: 'calendar',
      script: dayScript,
      isClosed: view.isClosed,
      description: 'Every finished day of the board as numbers, sound, picture and film.',
      main: listMain(view),
    }),
  day: (view) =>
    layout({
      title: view.manifest.day,
      section,
      isClosed: view.isClosed,
      description: conclusionSentence(view.manifest.snapshot),
      sharing: sharingOf(view),
      script: dayScript,
      shownDay: { day: view.manifest.day, tones: tonesOf(view.manifest.snapshot) },
      main: dayMain(view),
    }),
  absent: (view) =>
    layout({ title: 'No such day', section, isClosed: view.isClosed, main: absentDay(view) }),
})

function sharingOf({ manifest, baseUrl }: DayView): Sharing {
  const { day } = manifest
  const preview = { baseUrl, image: pictureOf(manifest), video: filmOf(manifest) }
  return { path: dayUrl(day), json: snapshotUrl(day), preview }
}

function listMain(view: ListView): Html {
  const days = view.manifests.map(({ snapshot }) => snapshot).reverse()
  return html`<h1>Days</h1>
<p class="lead">Every finished UTC day of the board is summed up in twelve counters, which its transmission carries as 273 tones. ${nextSentence(view)}</p>
<p class="links"><a href="${PROTOCOL_URL}">How the signal is made</a> <a href="${DECODER_URL}">Decode a recording</a> <a href="${INDEX_JSON_URL}">JSON</a> <a href="${INDEX_CSV_URL}">CSV</a> <a href="${ARCHIVE_FEED_URL}">Feed</a></p>
${days.length === 0 ? html`<p class="empty">${view.from_newest ? 'No day has been archived yet.' : 'No earlier day is archived.'}</p>` : charts(days)}
${pageLinks(view)}
${view.from_newest ? mirrorCommands(view) : ''}`
}

const charts = (days: Snapshot[]): Html => html`${calendar(days)}
<section aria-labelledby="counters">
<h2 id="counters">Each counter over these days</h2>
<div class="multiples">
${COUNTERS.map((name, tone) => multiple(days, name, tone))}</div>
<details class="table"><summary>As a table</summary>
${table(days)}
</details>
</section>`

const multiple = (
  days: Snapshot[],
  name: (typeof COUNTERS)[number],
  tone: number,
): Html => html`<figure><figcaption><b>${COUNTER_LABELS[name]}</b> <span>latest ${countText(days.at(-1)?.counters[name] ?? null)}, highest ${countText(mostOf(days, name))}</span></figcaption>${countBars(days, name, tone)}</figure>
`

function table(days: Snapshot[]): Html {
  const rows = days
    .toReversed()
    .map(
      ({ day, counters, coverage, conclusion }) =>
        html`<tr><th scope="row"><a href="${dayUrl(day)}">${day}</a></th><td class="status ${conclusion}">${conclusion}</td><td class="status ${coverage.status}">${coverage.status}</td>${COUNTERS.map((name) => html`<td>${counters[name] === null ? '–' : countText(counters[name])}</td>`)}</tr>\n`,
    )
  return html`<div class="scroll" tabindex="0" role="region" aria-label="The counters of each day"><table class="all-counters"><thead><tr><th scope="col">Day</th><th scope="col">Conclusion</th><th scope="col">Coverage</th>${COUNTERS.map((name, tone) => html`<th scope="col">${counterKey(tone)}${COUNTER_LABELS[name]}</th>`)}</tr></thead><tbody>
${rows}</tbody></table></div>`
}

function pageLinks({ next_before, from_newest, limit }: ListView): Html | string {
  if (next_before === null && from_newest) return ''
  return html`<nav class="pages" aria-label="Pages">
${from_newest ? '' : html`<a href="${ARCHIVE_URL}">Newest days</a>`}
${next_before && html`<a href="${ARCHIVE_URL}?before=${next_before}&amp;limit=${limit}" rel="next">Earlier days</a>`}
</nav>`
}
