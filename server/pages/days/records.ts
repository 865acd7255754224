// Renders the records of a day: on its own page in sections, and their beginning on the page of the day.

import { COUNTER_LABELS } from '../../../archive/drawing/counter-labels.ts'
import { ARCHIVE_URL, dayRecordsUrl, dayUrl, recordsUrl } from '../../../archive/format/paths.ts'
import type { CounterName } from '../../../protocol/index.ts'
import type { Headline } from '../../sections/headlines.ts'
import type { FirstRecords, Section, SectionRecords } from '../../sections/queries.ts'
import { cursorOf, type SectionName } from '../../sections/rules.ts'
import type { RecordsView } from '../../transmissions/views.ts'
import { longDate, shortDate } from '../parts/dates.ts'
import { fitting, htmlOf } from '../parts/fitting.ts'
import { type Html, html } from '../parts/html.ts'
import { quantity } from '../static/counters.ts'
import { investigationOf } from './headline.ts'
import { messageItem, RECORD_ITEMS } from './record-items.ts'

/** Most sections have the name of a counter, and its label for a title. */
const titleOf = (name: SectionName): string =>
  name === 'questions' ? 'Questions' : COUNTER_LABELS[name]

/** The section with the records that a counter counts. */
export function sectionOf(counter: CounterName): SectionName {
  if (counter === 'message_bytes' || counter === 'active_directories') return 'messages'
  return counter === 'investigations' ? 'questions' : counter
}

/** Limits for a section [bytes of HTML]: the messages, another one, and one that has its page to itself. */
const MESSAGES_BYTES = 20_000
const SECTION_BYTES = 3_000
const ONLY_SECTION_BYTES = 36_000
/** Limit for the messages on the page of the day. */
const EDITION_BYTES = 16_000

export function recordsMain(view: RecordsView): Html {
  const { day, sections, only } = view
  const shown = sections.filter(({ section }) => section.items.length > 0)
  const bytesOf = (name: SectionName) =>
    only ? ONLY_SECTION_BYTES : name === 'messages' ? MESSAGES_BYTES : SECTION_BYTES
  const none = sections.filter(({ section }) => section.items.length === 0)
  const part = ({ name, section }: Sections[number]): Html =>
    section.items.length === 0
      ? html`<p class="empty" id="${name}">No ${only ? 'more ' : ''}${titleOf(name).toLowerCase()}.</p>\n`
      : html`<section id="${name}" aria-labelledby="${name}-title">
<h2 id="${name}-title">${titleOf(name)}</h2>
${listOf(day, name, section, bytesOf(name))}
</section>
`
  const parts = Object.groupBy([...shown, ...none], ({ name }) =>
    name === 'messages' ? 'messages' : 'others',
  )
  return html`<p class="crumbs"><a href="${ARCHIVE_URL}">Days</a> / <a href="${dayUrl(day)}">${shortDate(day)}</a></p>
<h1>${only ? `${titleOf(only)} of` : 'Everything written on'} <time datetime="${day}">${longDate(day)}</time></h1>
<p class="lead">
  As visible now, without what an operator has hidden.
  ${only ? html`<a href="${dayRecordsUrl(day)}">All sections</a>` : ''}
</p>
${only ? '' : contents(shown)}<div${!only && html` class="columns"`}>
<div>
${parts.messages?.map(part)}</div>
<div>
${parts.others?.map(part)}</div>
</div>
${view.hasRecords ? html`<p class="links"><a href="${recordsUrl(day)}">The records of this day, for programs</a></p>` : ''}`
}

type Sections = RecordsView['sections']

const contents = (sections: Sections): Html =>
  html`<nav aria-label="Sections of this page">
    <p class="links">${sections.map(({ name, section: { items, hasMore } }) => html`<a href="#${name}">${titleOf(name)} ${items.length}${hasMore && '+'}</a> `)}</p>
  </nav>
`

/** Lists as many records as fit, and links to the page that continues after them. */
function listOf<Name extends SectionName>(
  day: string,
  name: Name,
  { items, hasMore }: Section<SectionRecords[Name]>,
  bytes: number,
): Html {
  const shown = fitting(bytes, items, RECORD_ITEMS[name])
  const last = shown.at(-1)?.item
  const more =
    last && (hasMore || shown.length < items.length)
      ? html`<p class="pages">
          <a href="${dayRecordsUrl(day)}?section=${name}&amp;after=${cursorOf(day, last)}" rel="next">
            More ${titleOf(name).toLowerCase()}
          </a>
        </p>`
      : ''
  return html`${listed(name, shown.map(htmlOf))}
${more}`
}

/** Messages are articles, all other records items of a list. */
const listed = (name: SectionName, items: readonly Html[]): Html =>
  name === 'messages'
    ? html`<div class="news">
${items}</div>`
    : html`<ul class="ledger news">
${items}</ul>`

/**
 * Renders the beginning of a day's records: the messages with which the day opens, and the rest by time, if there is more.
 * @param firstRecords null if they cannot be read
 * @param counted the number of its messages
 * @param headline its question is not repeated
 */
export function firstRecordsSection(
  day: string,
  firstRecords: FirstRecords | null,
  counted: string | null,
  headline: Headline | undefined,
): Html {
  if (firstRecords === null)
    return written(empty('The records of the day cannot be read here now.'))
  const { opening, messages, reviews } = firstRecords
  if (messages.items.length === 0 && reviews.items.length === 0)
    return written(empty(counted === '0' ? 'Nothing was written.' : 'Nothing that is visible now.'))
  const others = messages.items.filter(({ id }) => !opening.some((one) => one.id === id))
  const all = [...opening, ...others]
  const titled = investigationOf(headline)
  const shown = fitting(EDITION_BYTES, all, (message) =>
    messageItem(message, { titled, messages: opening.includes(message) ? opening : [] }),
  )
  const [first, rest] = [shown.slice(0, opening.length), shown.slice(opening.length)]
  const isAll = !messages.hasMore && shown.length === all.length
  const words = html`${all.length === 0 && empty('No message.')}${first.length > 0 && listed('messages', first.map(htmlOf))}
<div class="rest">
${first.length > 0 && rest.length > 0 && html`<h2>The other messages, by time</h2>`}
${rest.length > 0 && listed('messages', rest.map(htmlOf))}
${reviews.items.length > 0 && html`<h2>${titleOf('reviews')}</h2>\n${listOf(day, 'reviews', reviews, SECTION_BYTES)}`}
</div>
<p class="links">
  ${isAll || counted === null ? '' : `There are more: ${shown.length} of the ${quantity(counted, 'message')} counted are above.`}
  <a href="${dayRecordsUrl(day)}">All records, by kind</a>
</p>`
  return written(words, first.length > 0 ? 'About the headline' : undefined)
}

const empty = (why: string): Html => html`<p class="empty">${why}</p>`

const written = (
  content: Html,
  title = 'What was written',
): Html => html`<section aria-labelledby="written">
<h2 id="written">${title}</h2>
${content}
</section>`
