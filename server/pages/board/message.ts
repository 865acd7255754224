// Renders the page of a message: its text between what it answers and its answers, its facts, investigation and
// references, and how to check it.

import { dayUrl } from '../../../archive/format/paths.ts'
import type { Mentions } from '../../board/mentions.ts'
import type { References } from '../../board/references.ts'
import type { MessageView } from '../../board/views.ts'
import type { EntryInContext } from '../../investigations/entries.ts'
import { MODERATION_URL } from '../../moderation/api.ts'
import { directoryUrl, investigationUrl, messageUrl } from '../../wire/addresses.ts'
import { WRITE_URL } from '../api.ts'
import { receiptCommands } from '../days/keeping.ts'
import { layout } from '../frame/layout.ts'
import { command } from '../parts/command.ts'
import { instantInFull, longDate, shortDate } from '../parts/dates.ts'
import { FIRST_RECORD_BYTES, fittingText, ONLY_RECORD_BYTES, sizeOf } from '../parts/fitting.ts'
import { type Html, html } from '../parts/html.ts'
import { crumbsTo } from '../parts/paths.ts'
import {
  authorOf,
  DESCRIPTION_CHARACTERS,
  firstWords,
  TITLE_CHARACTERS,
} from '../parts/user-text.ts'
import { formatCount } from '../static/counters.ts'
import { answersBelow, messagesAbove } from './answer-thread.ts'
import { answersLink, ownText, quoteOf } from './answering.ts'
import { entryUrl, kindMark, reviewAside, sourcesWithin } from './entry.ts'
import { corrections, mentionList, NO_REFERENCES, referredToBy, refersTo } from './references.ts'

/** Limit for the sources of an entry [bytes of HTML]; a larger list becomes a link to the JSON. */
const SOURCES_BYTES = 16_000

export const messagePage = (view: MessageView<EntryInContext>): string =>
  layout(view, {
    title: firstWords(textOf(view), TITLE_CHARACTERS) || `Message ${view.message.id}`,
    description: descriptionOf(view),
    section: view.entry === null ? 'directories' : 'investigations',
    path: messageUrl(view.message.id),
    json: `${messageUrl(view.message.id)}.json`,
    script: 'enhance-page',
    main: fittingText(
      view.thread.above.length + view.thread.below.length > 0
        ? FIRST_RECORD_BYTES
        : ONLY_RECORD_BYTES,
      { body: textOf(view), url: `${messageUrl(view.message.id)}.txt` },
      (text) => messageMain(view, text),
    ),
  })

/** The text without the address of the message that it answers, which the page shows above it. */
const textOf = ({ message: { body }, thread }: MessageView<EntryInContext>): string =>
  ownText(body, thread.above.at(-1))

/** `Message 12 in /river, 21 Nov 2026: …` */
function descriptionOf(view: MessageView<EntryInContext>): string {
  const { id, directory, publish_at } = view.message
  const words = firstWords(textOf(view), DESCRIPTION_CHARACTERS)
  return `Message ${id} in ${directory}, ${longDate(publish_at.slice(0, 10))}${words && `: ${words}`}`
}

/** @param text the rendered text, possibly cut */
function messageMain(view: MessageView<EntryInContext>, text: Html): Html {
  const { message, entry } = view
  const references = view.references ?? NO_REFERENCES
  const above = messagesAbove(view)
  return html`${crumbsTo(message.directory)}<h1 class="number-of">Message ${message.id}</h1>
<div class="record">
${above}<article class="message" id="message-${message.id}">
${corrections(references, messageUrl)}${view.message.body && textOf(view) === '' ? answersLink(view.thread.above.at(-1)) : text}
</article>
<div class="about">
${facts(view)}
${
  view.isClosed
    ? ''
    : html`<p class="actions">
    <a class="act" href="${WRITE_URL}?answers=${message.id}">Answer in this directory</a>
    <a href="/investigations?about=${message.id}">Ask a question about this</a>
  </p>`
}
${entry === null ? '' : partOf(entry)}
</div>
${answersBelow(view, sizeOf(text) + sizeOf(above))}</div>
${referenceSections(references, view.mentions)}
${hashSection(view)}
${neighbours(view)}`
}

const facts = (view: MessageView<EntryInContext>): Html => {
  const { author_label, publish_at, received_at } = view.message
  return html`<dl class="facts">
<dt>By</dt>
  <dd>${authorOf(author_label) ? html`${authorOf(author_label)} <span class="hint">unverified</span>` : 'no name given'}</dd>
<dt>Published</dt><dd>${instantInFull(publish_at)}</dd>
${received_at.slice(0, 19) === publish_at.slice(0, 19) ? '' : html`<dt>Received</dt><dd>${instantInFull(received_at)}</dd>\n`}<dt>Day</dt>
  <dd>${dayOfMessage(view)}</dd>
<dt>Receipt</dt><dd>${receiptOf(view)}</dd>
</dl>`
}

const receiptOf = ({ receipt, message }: MessageView<EntryInContext>): Html =>
  receipt === null
    ? html`none: this message was written before the archive had a key`
    : html`<a href="${receipt}" download="${message.id}.receipt">signed promise</a>
        <span class="hint">to keep it unchanged, with its day</span>`

/** The day that the message belongs to, and what becomes or became of it. */
function dayOfMessage({ message, is_sealed, sound_time }: MessageView<EntryInContext>): Html {
  const day = message.publish_at.slice(0, 10)
  const sealed = is_sealed ? ', counted and sealed' : ''
  return html`<a href="${dayUrl(day)}">${shortDate(day)}</a>${sound_time === null ? sealed : `, becomes sound ${sound_time}`}`
}

/** Shows a message's role in its investigation: its kind, sources and review. */
function partOf({ entry, title }: EntryInContext): Html {
  const { message_id, investigation_id, kind, sources, review } = entry
  const investigation = investigationUrl(investigation_id)
  return html`<section class="part-of" aria-labelledby="part-of">
<h2 id="part-of">${kindMark(kind)} in an investigation</h2>
<p><a href="${entryUrl(message_id, entry)}"><bdi class="title">${title}</bdi></a></p>
${sourcesWithin(SOURCES_BYTES, sources, `${investigation}.json?after=${message_id - 1n}&limit=1`)}
${review === null ? html`<p class="hint">No review.</p>` : reviewAside(review)}
</section>`
}

/** Renders what the message refers to and mentions, and what refers to it and mentions it. */
function referenceSections(references: References, { by, by_count, of }: Mentions): Html | string {
  const { to, from } = references
  const more = by_count - by.length
  const sections = [
    to.length > 0 && section('Refers to', refersTo(references, messageUrl)),
    of.length > 0 && section('Mentions', mentionList(of)),
    from.length > 0 && section('Referred to by', referredToBy(references, messageUrl)),
    by.length > 0 &&
      section(
        by_count === 1 ? 'Mentioned by' : `Mentioned by ${formatCount(by_count)}`,
        html`${mentionList(by)}${more > 0 ? html`<p class="hint">and ${formatCount(more)} more</p>` : ''}`,
      ),
  ].filter((part) => part !== false)
  return sections.length === 0 ? '' : html`<div class="both-ways">\n${sections}</div>`
}

const section = (heading: string, content: Html | string): Html =>
  html`<section><h2>${heading}</h2>\n${content}</section>\n`

const hashSection = ({ message, baseUrl, receipt }: MessageView<EntryInContext>): Html =>
  html`<section class="check" aria-labelledby="check">
<h2 id="check">Check this message</h2>
${receipt && html`<div data-receipt="${receipt}" data-record="${messageUrl(message.id)}"></div>\n`}<details>
<summary>With commands</summary>
<p>The SHA-256 of the text is <span class="hash">${message.body_hash}</span>. This command computes it:</p>
${command(`curl -s ${baseUrl}${messageUrl(message.id)}.txt | sha256sum`)}
${receipt === null ? '' : receiptCommands(message, baseUrl)}
</details>
</section>
<p class="links">
  <a href="${messageUrl(message.id)}.json">JSON record</a>
  <a href="${messageUrl(message.id)}.txt">Plain text</a>
  <a href="${MODERATION_URL}?message=${message.id}">Record of moderation</a>
</p>
`

const neighbours = ({ message, neighbours, thread }: MessageView<EntryInContext>): Html | '' => {
  const shown = [...thread.above, ...thread.below].map((one) => one.message_id)
  const [previous, next] = [neighbours.previous, neighbours.next].map((one) =>
    one && shown.includes(one.message_id) ? undefined : one,
  )
  if (!(previous || next)) return ''
  return html`<nav class="neighbours" aria-label="In its directory">
<h2>In <a class="path" href="${directoryUrl(message.directory)}">${message.directory}</a></h2>
<dl>
${previous && html`<dt>Earlier</dt><dd><a href="${messageUrl(previous.message_id)}" rel="prev">${quoteOf(previous)}</a></dd>\n`}${
  next &&
  html`<dt>Later</dt><dd><a href="${messageUrl(next.message_id)}" rel="next">${quoteOf(next)}</a></dd>\n`
}</dl>
</nav>`
}
