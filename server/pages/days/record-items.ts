// Renders the records of a day's sections, each as an item of a list.

import type { DayEntry, DayMessage, SectionRecords } from '../../sections/queries.ts'
import type { SectionName } from '../../sections/rules.ts'
import { directoryUrl, investigationUrl, messageUrl } from '../../wire/addresses.ts'
import { instant } from '../../wire/instant.ts'
import { type Above, answeredText, standingLines } from '../board/answering.ts'
import { entryLink, outcomeMark } from '../board/entry.ts'
import { permalink, timeOfDay } from '../parts/dates.ts'
import { type Html, html } from '../parts/html.ts'
import { authorOf, clampedBody, firstLine, sourceLink } from '../parts/user-text.ts'

const time = ({ at }: { at: bigint }): Html => timeOfDay(instant(at))

const messageLink = (id: bigint): Html => html`<a href="${messageUrl(id)}">Message ${id}</a>`

const investigationLink = (id: bigint, title: string): Html =>
  html`<a href="${investigationUrl(id)}"><bdi class="title">${title}</bdi></a>`

/** @param above see answeredText */
export const messageItem = (message: DayMessage, above?: Above): Html => {
  const { id, directory, author_label, answering } = message
  return html`<article class="written" id="message-${id}">
<p class="who">
  ${permalink(id, time(message))}
  ${entryLink(id, answering)}${authorOf(author_label)}
  <a class="path" href="${directoryUrl(directory)}">${directory}</a>
</p>
${answeredText(message, answering, (text) => clampedBody(text, messageUrl(id)), above)}</article>
`
}

/** A question or contribution in two lines: its text is among the messages. */
const entryItem = ({ id, kind, investigation_id, title, ...record }: DayEntry): Html => {
  const entry = { kind, investigation_id, title }
  return html`<li>
<p class="who">${permalink(id, time(record))} ${entryLink(id, { entry })}${authorOf(record.author_label)}</p>
${standingLines({ entry })}${kind !== 'question' && html`<p><bdi>${firstLine(record.body)}</bdi></p>`}
</li>
`
}

const sourceItem = ({ id, sources }: SectionRecords['sources']): Html =>
  html`${sources.map(
    ({ url, note }) => html`<li>
      ${sourceLink(url)} <span class="hint">in</span> ${messageLink(id)}${note && html` <span class="hint"><bdi>${firstLine(note)}</bdi></span>`}
    </li>\n`,
  )}`

const directoryItem = (directory: SectionRecords['directories']): Html =>
  html`<li>
<p class="who">${time(directory)} ${authorOf(directory.author_label)} <a class="path" href="${directoryUrl(directory.path)}">${directory.path}</a></p>
</li>
`

const reviewItem = (review: SectionRecords['reviews']): Html =>
  html`<li>
<p class="who">
  ${time(review)}
  ${outcomeMark(review.outcome)}
  <span>${messageLink(review.message_id)} in ${investigationLink(review.investigation_id, review.title)}</span>
</p>
${review.reason === '' ? html`<p class="label">The reason was erased.</p>` : clampedBody(review.reason, messageUrl(review.message_id))}
</li>
`

export const RECORD_ITEMS: { [Name in SectionName]: (record: SectionRecords[Name]) => Html } = {
  messages: (message) => messageItem(message),
  questions: entryItem,
  observations: entryItem,
  attempts: entryItem,
  corrections: entryItem,
  results: entryItem,
  reuses: entryItem,
  sources: sourceItem,
  directories: directoryItem,
  reviews: reviewItem,
}
