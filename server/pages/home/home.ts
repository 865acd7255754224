// Renders the front page: yesterday's words, the question that waits, the sound, what is new, today, the days before.

import { nextDay } from '../../../archive/format/calendar.ts'
import { ARCHIVE_URL, dayUrl } from '../../../archive/format/paths.ts'
import type { Snapshot } from '../../../archive/format/snapshot.ts'
import type { Answering, Answers } from '../../board/answers.ts'
import { BOARD, type MessageRecord } from '../../board/api.ts'
import type { Today } from '../../data/counts.ts'
import type { ListedInvestigation } from '../../investigations/views.ts'
import type { Headline, Headlines } from '../../sections/headlines.ts'
import type { DayMessage } from '../../sections/queries.ts'
import type { ServedManifest } from '../../transmissions/views.ts'
import { directoryUrl } from '../../wire/addresses.ts'
import { instant } from '../../wire/instant.ts'
import { HOW_URL, WRITE_URL } from '../api.ts'
import { type Above, answeredText } from '../board/answering.ts'
import { contributionsIn, countsOf, entryLink } from '../board/entry.ts'
import { WAITING } from '../board/investigations.ts'
import { findingSentence } from '../board/knowledge.ts'
import { exampleDay, FIRST_DAY } from '../days/absent-day.ts'
import { chordAndSound, hearLink } from '../days/day-player.ts'
import {
  foundLine,
  headlineLink,
  headlineRow,
  headlineTitle,
  investigationOf,
  quotedLink,
} from '../days/headline.ts'
import { closedNotice, layout, pictureOf, type Site } from '../frame/layout.ts'
import { chordChart } from '../parts/charts.ts'
import { counterList, DOUBLING } from '../parts/counts.ts'
import { dayWithWeekday, momentNear, permalink, shortDate, timeOfDay } from '../parts/dates.ts'
import { type Html, html } from '../parts/html.ts'
import { authorOf, beginning, withFewerBlankLines } from '../parts/user-text.ts'
import { quantity } from '../static/counters.ts'
import { FORM_ID } from '../write/form-fields.ts'

export interface HomeView extends Required<Site> {
  /** The newest archived day. */
  newest: ServedManifest | null
  /** Its headline and the messages that tell most of it, if they are here and visible. */
  headline?: Headline | undefined
  written: readonly DayMessage[]
  /** The days before it, newest first, and the headlines of all. */
  earlier: readonly Snapshot[]
  headlines: Headlines
  /** Whether the archive can be read now. */
  hasArchive: boolean
  today: Today
  isMirror: boolean
  /** A sentence on when the next transmission is due; empty for a mirror. */
  next: string
  /** False until somebody has created the first directory. */
  hasDirectories: boolean
  messages: MessageRecord[]
  answers: Answers
  /** Investigations without a review, latest activity first; null while activity is being counted. */
  investigations: ListedInvestigation[] | null
  /** A sentence on why publishing is currently off; null if it is on. */
  closed: string | null
}

export function homePage(view: HomeView): string {
  const { newest, closed } = view
  return layout(view, {
    title: '',
    description:
      'A public board for plain text. Every finished day of it becomes an audible, verifiable transmission.',
    path: '/',
    image: pictureOf(newest),
    script: 'day-page',
    main: html`${closedNotice(closed)}
<div class="front">
<h1>Write on a public board. Hear what the day became.</h1>
<p class="lead">
  Anyone can write. Every midnight twelve counts become sound.
  <a href="${HOW_URL}">How it works</a>
</p>
</div>
<div class="columns by-turns">
${newest ? newestSection(view, newest) : firstDay(view)}
<div>
${waiting(view)}
${newest ? sound(view, newest) : ''}
</div>
${newMessages(view)}
<div>
${view.isMirror ? '' : todaySoFar(view.today)}
${answered(view)}
${earlierDays(view)}
</div>
</div>`,
  })
}

/** The first step is a directory, which a message needs. */
function step({ isClosed, hasDirectories }: HomeView): Html | '' {
  if (isClosed) return ''
  return hasDirectories
    ? html`<a class="act" href="${WRITE_URL}">Write a message</a> `
    : html`<a class="act" href="/directories#${FORM_ID}">Create the first directory</a> `
}

/** Shows what becomes of a day, or states why none is shown. */
const firstDay = ({ hasArchive, next }: HomeView): Html =>
  html`<section class="night" aria-labelledby="newest">
<h2 id="newest">${hasArchive ? 'The first transmission' : 'The newest transmission'}</h2>
<p class="empty">${hasArchive ? html`${FIRST_DAY} ${next}` : 'The transmissions are switched off or cannot be read now. The board is not affected.'}</p>
${hasArchive ? exampleDay() : ''}
</section>`

function todaySoFar({ day, counters }: Today): Html {
  return html`<section class="panel" aria-labelledby="today">
<h2 id="today">
  <a href="${dayUrl(day)}">Today so far</a>
  <span class="hint">${dayWithWeekday(day)}</span>
</h2>
${chordChart(counters)}
${counterList(counters, 'Nothing yet.')}
<p class="hint">${DOUBLING}</p>
</section>`
}

/** What the newest archived day was about, with its first words. */
function newestSection(view: HomeView, manifest: ServedManifest): Html {
  const { today, headline, written } = view
  const { day, snapshot } = manifest
  const above = { titled: investigationOf(headline), messages: written }
  const line = (message: DayMessage) =>
    excerpt(message, message.answering, timeOfDay(instant(message.at)), above)
  const name = nextDay(day) === today.day ? 'Yesterday' : 'The newest day'
  return html`<section aria-labelledby="newest">
<p class="hint">
  <span>${name}, <time datetime="${day}">${shortDate(day)}</time></span>
  ${!view.isMirror && html`<a href="${dayUrl(today.day)}">Today: ${quantity(today.counters.messages ?? '0', 'message')}</a>`}
</p>
<h2 id="newest" class="of-day">${headlineLink(day, headlineTitle(headline, snapshot))}</h2>
${foundLine(headline)}<p class="actions">${hearLink(manifest)}${quotedLink(headline)}</p>
${written.length > 0 ? html`<ol class="ledger news">${written.map(line)}</ol>` : ''}
<p class="links"><a href="${dayUrl(day)}">The whole day: ${quantity(snapshot.counters.messages ?? '0', 'message')}</a></p>
</section>`
}

/** The investigations of which a headline says nothing. */
const besides = ({ investigations, headline }: HomeView): ListedInvestigation[] | undefined =>
  investigations?.filter(({ summary }) => summary.id !== investigationOf(headline))

const INVESTIGATIONS_SHOWN = 3

/** The investigations without a result, those with contributions first, but for that of the headline. */
function waiting(view: HomeView): Html | '' {
  const { investigations } = view
  const found = besides(view)?.filter((one) => !one.finding) ?? []
  const isTaken = ({ activity }: ListedInvestigation) => Number(contributionsIn(activity) > 0)
  const shown = found.sort((a, b) => isTaken(b) - isTaken(a)).slice(0, INVESTIGATIONS_SHOWN)
  if (investigations && shown.length === 0) return ''
  return html`<section class="panel" aria-labelledby="waiting">
<h2 id="waiting"><a href="/investigations">${WAITING}</a></h2>
${shown.length > 0 ? html`<ul class="plain questions">${shown.map(question)}</ul>` : html`<p class="empty">Their activity is still being counted. They will be here in a moment.</p>`}
</section>`
}

function sound({ next }: HomeView, manifest: ServedManifest): Html {
  const { day } = manifest
  return html`<section class="night compact" aria-labelledby="sound">
<h2 id="sound"><a href="${dayUrl(day)}">How ${shortDate(day)} sounds</a></h2>
${chordAndSound(manifest, `${HOW_URL}#noise`)}
${next && html`<p>${next}</p>`}
</section>`
}

function newMessages(view: HomeView): Html {
  const { messages, answers, written, today } = view
  const others = messages.filter(({ id }) => !written.some((one) => one.id === id))
  return html`<section id="list" data-live
  data-poll="${BOARD.listMessages.path}?after=${messages[0]?.id ?? 0}" aria-labelledby="messages">
<h2 id="messages" tabindex="-1">New on the board</h2>
${
  messages.length === 0
    ? html`<p class="empty">Nothing has been published yet.</p>`
    : html`<ol class="ledger news">${others.map((message) => excerpt(message, answers.get(message.id), momentNear(today.day, message.publish_at)))}</ol>`
}
<p class="actions">${step(view)}${view.isMirror ? html`<a href="/directories">All directories</a>` : html`<a href="${dayUrl(today.day)}">All of today</a>`}</p>
</section>`
}

const EXCERPT_CHARACTERS = 400

type Shown = Pick<MessageRecord, 'id' | 'directory' | 'body' | 'author_label'>

/** @param above see answeredText */
const excerpt = (
  { id, directory, body, author_label }: Shown,
  answering: Answering | undefined,
  time: Html,
  above?: Above,
): Html =>
  html`<li>
<p class="who">
  ${permalink(id, time)}
  ${entryLink(id, answering)}${authorOf(author_label, '', ' ')}<a
  class="path" href="${directoryUrl(directory)}">${directory}</a>
</p>
${answeredText(
  { id, body },
  answering,
  (text) =>
    html`<div class="body excerpt" dir="auto">${beginning(withFewerBlankLines(text), EXCERPT_CHARACTERS)}</div>`,
  above,
)}
</li>
`

/** The investigations with a result and without a review, but for that of the headline. */
function answered(view: HomeView): Html | '' {
  const found = besides(view)?.filter((one) => one.finding) ?? []
  return found.length === 0
    ? ''
    : html`<section aria-labelledby="answered">
<h2 id="answered">Answered, without review</h2>
<ul class="plain questions">${found.slice(0, INVESTIGATIONS_SHOWN).map(question)}</ul>
</section>`
}

const earlierDays = ({ earlier, headlines }: HomeView): Html | false =>
  earlier.length > 0 &&
  html`<section aria-labelledby="earlier">
<h2 id="earlier"><a href="${ARCHIVE_URL}">The days before</a></h2>
<ol class="headlines">${earlier.map((one) => headlineRow(headlines.get(one.day), one))}</ol>
</section>`

const question = ({ summary, activity, finding }: ListedInvestigation): Html =>
  html`<li>
    <a href="${summary.url}" dir="auto">${summary.title}</a>${finding && findingSentence(finding)}${
      activity && html`<p class="counts">${countsOf(activity)}</p>`
    }
  </li>
`
