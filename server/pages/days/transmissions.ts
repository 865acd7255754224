// Renders the pages of the archive: the list of days, a month, a day and its records, and a day that is not archived.

import { dayOf } from '../../../archive/format/calendar.ts'
import {
  ARCHIVE_URL,
  DECODER_URL,
  dayRecordsUrl,
  dayUrl,
  INDEX_CSV_URL,
  INDEX_JSON_URL,
  monthUrl,
  snapshotUrl,
  yearUrl,
} from '../../../archive/format/paths.ts'
import type { ListView, TransmissionPages } from '../../transmissions/views.ts'
import { FOLLOW_URL } from '../api.ts'
import { dayFeed } from '../feeds/feeds.ts'
import { podcastFeed } from '../feeds/podcast.ts'
import { layout, type Page, pictureOf, type Site } from '../frame/layout.ts'
import { longDate, monthName } from '../parts/dates.ts'
import { type Html, html } from '../parts/html.ts'
import { absentDay, exampleDay, FIRST_DAY, nextSentence } from './absent-day.ts'
import { calendar } from './calendar.ts'
import { conclusionSentence } from './coverage.ts'
import { dayMain, todayMain } from './day.ts'
import { asSentence, headlineText } from './headline.ts'
import { mirrorCommands } from './keeping.ts'
import { monthMain } from './month.ts'
import { recordsMain } from './records.ts'
import { yearMain } from './year.ts'

/** Puts a page of days into the layout. */
const page = (view: Site, shown: Omit<Page, 'section' | 'script'>): string =>
  layout(view, { section: 'transmissions', script: 'day-page', ...shown })

export const transmissionPages: TransmissionPages = {
  feed: dayFeed,
  podcast: podcastFeed,
  list: (view) =>
    page(view, {
      title: 'Days',
      sheet: 'calendar',
      description: 'Every finished day of the board as numbers, sound, picture and film.',
      path: ARCHIVE_URL,
      main: listMain(view),
    }),
  day: (view) => {
    const { day, snapshot, media } = view.manifest
    const headline = headlineText(view.headlines.get(day), snapshot)
    return page(view, {
      title: `${day}: ${headline}`,
      description: `${asSentence(headline)} ${conclusionSentence(snapshot)}`,
      path: dayUrl(day),
      json: snapshotUrl(day),
      image: pictureOf(view.manifest),
      video: media.mp4.available ? { ...media.mp4, path: media.mp4.url } : null,
      main: dayMain(view),
    })
  },
  today: (view) => {
    const { day } = view.today
    const headline = headlineText(view.headlines.get(day), undefined)
    return page(view, {
      title: `${day}: ${headline}`,
      description: `${asSentence(headline)} The numbers of today so far, and what was written.`,
      path: dayUrl(day),
      main: todayMain(view),
    })
  },
  month: (view) =>
    page(view, {
      title: monthName(view.period),
      sheet: 'month',
      description: `The days of ${monthName(view.period)} as numbers, sounds and films.`,
      path: monthUrl(view.period),
      image: pictureOf(view.manifests.at(-1)),
      main: monthMain(view),
    }),
  year: (view) =>
    page(view, {
      title: view.period,
      sheet: 'calendar',
      description: `The days of ${view.period}, each with its chord and its headline.`,
      path: yearUrl(view.period),
      image: pictureOf(view.manifests.at(-1)),
      main: yearMain(view),
    }),
  records: (view) =>
    page(view, {
      title: `Records of ${view.day}`,
      description: `Everything that was written on ${longDate(view.day)} and is visible now.`,
      path: dayRecordsUrl(view.day),
      main: recordsMain(view),
    }),
  absent: (view) =>
    layout(view, { title: 'No such day', section: 'transmissions', main: absentDay(view) }),
}

function listMain(view: ListView): Html {
  const days = view.manifests.map(({ snapshot }) => snapshot).reverse()
  const years = new Set(days.map(({ day }) => day.slice(0, 4)))
  return html`<h1>Days</h1>
<p class="lead">
  What each day was about, and what it became after midnight UTC: twelve numbers, carried by 273 tones.
  ${view.from_newest ? html`<a href="${dayUrl(dayOf(view.now))}">Today so far</a>. ` : ''}${nextSentence(view)}
</p>
<p class="links">
  ${[...years].map((year) => html`<a href="${yearUrl(year)}">All of ${year}</a> `)}
  <a href="${DECODER_URL}">Decode a recording</a>
  <a href="${INDEX_JSON_URL}">JSON</a>
  <a href="${INDEX_CSV_URL}">CSV</a>
  <a href="${FOLLOW_URL}">Follow</a>
</p>
${
  days.length === 0
    ? html`<p class="empty">${view.from_newest ? FIRST_DAY : 'No earlier day is archived.'}</p>
${view.from_newest ? exampleDay() : ''}`
    : calendar(days, view.headlines, view.from_newest && !view.isMirror ? dayOf(view.now) : null)
}
${pageLinks(view)}
${view.from_newest ? mirrorCommands(view) : ''}`
}

function pageLinks({ next_before, from_newest, limit }: ListView): Html | string {
  if (next_before === null && from_newest) return ''
  return html`<nav class="pages" aria-label="Pages">
${from_newest ? '' : html`<a href="${ARCHIVE_URL}">Newest days</a>`}
${next_before && html`<a href="${ARCHIVE_URL}?before=${next_before}&amp;limit=${limit}" rel="next">Earlier days</a>`}
</nav>`
}
