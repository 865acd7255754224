// Renders the page of a message: its question if it is an entry, its text between what it answers and its answers, what
// refers to it, and how to check it.

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
import { longDate, moment, shortDate } from '../parts/dates.ts'
import { FIRST_RECORD_BYTES, fittingText, ONLY_RECORD_BYTES, sizeOf } from '../parts/fitting.ts'
import { type Html, html } from '../parts/html.ts'
import { crumbsTo } from '../parts/paths.ts'
import {
  authorOf,
  DESCRIPTION_CHARACTERS,
  firstWords,
  TITLE_CHARACTERS,
} from '../parts/user-text.ts'
import { formatCount, quantity } from '../static/counters.ts'
import { FORM_ID } from '../write/form-fields.ts'
import { answersBelow, messagesAbove } from './answer-thread.ts'
import { answersLink, ownText, quotedWords, quoteOf } from './answering.ts'
import { contributionsIn, entryLink, outcomeMark, reviewAside, sourcesWithin } from './entry.ts'
import { corrections, mentionList, NO_REFERENCES, referredToBy, refersTo } from './references.ts'

/** Limit for the sources of an entry [bytes of HTML]; a larger list becomes a link to the JSON. */
const SOURCES_BYTES = 16_000

export const messagePage = (view: MessageView<EntryInContext>): string =>
  layout(view, {
    title: firstWords(textOf(view), TITLE_CHARACTERS) || `Message ${view.message.id}`,
    description: descriptionOf(view),
    section: 'directories',
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
  const { id, author_label, publish_at } = message
  const references = view.references ?? NO_REFERENCES
  const isQuestion = entry?.entry.kind === 'question'
  const above = messagesAbove(view)
  const contribute =
    entry &&
    html`<a${isQuestion && html` class="act"`} href="${investigationUrl(entry.entry.investigation_id)}${isQuestion ? '' : `?extends=${id}`}#${FORM_ID}">Contribute a finding</a> `
  return html`${crumbsTo(message.directory)}${isQuestion ? html`<span class="number-of">Message ${id}</span>` : html`<h1 class="number-of">Message ${id}</h1>`}
<div class="record">
${entry && !isQuestion && questionAbove(entry)}${above}<article class="message" id="message-${id}">
${isQuestion && html`<h1 class="asked"><bdi class="title">${entry.title}</bdi></h1>`}
<p class="meta">${moment(publish_at)} ${entry && entryLink(id, entry)}${entry?.entry.review && html`${outcomeMark(entry.entry.review.outcome)} `}<span>${authorOf(author_label, '', ' \u00a0unverified') || 'no name given'}</span></p>
${corrections(references, messageUrl)}${message.body && textOf(view) === '' ? answersLink(view.thread.above.at(-1)) : text}
${refersTo(references, messageUrl)}${entry && sourcesOf(entry)}${isQuestion && investigationLine(entry)}${heardLine(view)}</article>
${entry && reviewOf(entry, references)}${answersBelow(view, sizeOf(text) + sizeOf(above))}${
  view.isClosed
    ? ''
    : html`<p class="actions">
    ${isQuestion && contribute}<a${!isQuestion && html` class="act"`} href="${WRITE_URL}?answers=${id}">Answer</a>
    ${!isQuestion && contribute}
    <a href="/investigations?about=${id}">Ask a question about this</a>
  </p>
${entry && html`<p class="hint">A finding is what you observed, tried or concluded, and joins the investigation.</p>\n`}`
}
${referenceSections(references, view.mentions)}${neighbours(view)}<div class="about">
${checkSection(view)}</div>
</div>`
}

/** The question of a contribution, where others have what they answer. */
const questionAbove = ({ entry, title, question, activity }: EntryInContext): Html =>
  html`<section class="chain" aria-label="Its question">
<p class="hint">A contribution to the question${authorOf(question.author_label, ' of ')}</p>
<p class="asked"><a href="${investigationUrl(entry.investigation_id)}"><bdi class="title">${title}</bdi></a></p>
<p><q dir="auto">${quotedWords(question.message_id, question.beginning, DESCRIPTION_CHARACTERS)}</q></p>
${investigationLine({ entry, activity })}</section>\n`

const investigationLine = ({ entry, activity }: Omit<EntryInContext, 'title' | 'question'>): Html =>
  html`<p class="answered"><a href="${investigationUrl(entry.investigation_id)}">Open the investigation${activity && `: ${quantity(contributionsIn(activity), 'contribution')}, ${activity.kinds.result ? quantity(activity.kinds.result, 'result') : 'no result yet'}`}</a></p>\n`

const heardLine = ({ message: { publish_at }, is_sealed }: MessageView<EntryInContext>) =>
  is_sealed &&
  html`<p class="answered"><a href="${dayUrl(publish_at.slice(0, 10))}#sound">Part of ${shortDate(publish_at.slice(0, 10))}: hear the day</a></p>\n`

const receiptOf = ({ receipt, message }: MessageView<EntryInContext>): Html =>
  receipt === null
    ? html`none: this message was written before the archive had a key`
    : html`<a href="${receipt}" download="${message.id}.receipt">a file to save</a><span class="hint">: the signed promise to keep it as it is</span>`

/** The day that the message belongs to, and what becomes or became of it. */
function dayOfMessage({ message, is_sealed, sound_time }: MessageView<EntryInContext>): Html {
  const day = message.publish_at.slice(0, 10)
  const sealed = is_sealed ? ', counted and sealed' : ''
  return html`<a href="${dayUrl(day)}">${shortDate(day)}</a>${sound_time === null ? sealed : `, becomes sound ${sound_time}`}`
}

function sourcesOf({ entry }: EntryInContext): Html | string {
  const { message_id, investigation_id, sources } = entry
  const whole = `${investigationUrl(investigation_id)}.json?after=${message_id - 1n}&limit=1`
  return sourcesWithin(SOURCES_BYTES, sources, whole)
}

const reviewOf = ({ entry: { kind, review } }: EntryInContext, references: References) =>
  review
    ? reviewAside(review, references)
    : kind === 'result' && html`<p class="hint">No review yet.</p>\n`

/** Renders what the message mentions, and what refers to it and mentions it. */
function referenceSections(references: References, { by, by_count, of }: Mentions): Html | string {
  const referring = referredToBy(references, messageUrl)
  const more = by_count - by.length
  const sections = [
    of.length > 0 && section('Mentions', mentionList(of)),
    referring !== '' && section('Referred to by', referring),
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

/** What its day and its receipt promise, and how to find out that they are kept. */
function checkSection(view: MessageView<EntryInContext>): Html {
  const { message, baseUrl, receipt } = view
  const url = messageUrl(message.id)
  return html`<section class="check" aria-labelledby="check">
<h2 id="check">Check this message</h2>
<dl class="facts">
<dt>Day</dt>
  <dd>${dayOfMessage(view)}</dd>
<dt>Receipt</dt><dd>${receiptOf(view)}</dd>
</dl>
${receipt && html`<div data-receipt="${receipt}" data-record="${url}"></div>\n`}<details>
<summary>With commands</summary>
<p>The SHA-256 of the text is <span class="hash">${message.body_hash}</span>. This command computes it:</p>
${command(`curl -s ${baseUrl}${url}.txt | sha256sum`)}
${receipt === null ? '' : receiptCommands(message, baseUrl)}
</details>
<p class="links">
  <a href="${url}.json">JSON record</a>
  <a href="${url}.txt">Plain text</a>
  <a href="${MODERATION_URL}?message=${message.id}">Removal and moderation</a>
</p>
</section>
`
}

/** Leads on, to what is not of its thread. */
function neighbours({ message, neighbours, thread, entry }: MessageView<EntryInContext>) {
  const read = [...thread.above, ...thread.below, ...(entry ? [entry.question] : [])]
  const shown = read.map((one) => one.message_id)
  const [previous, next] = [neighbours.previous, neighbours.next].map((one) =>
    one && shown.includes(one.message_id) ? undefined : one,
  )
  if (!(previous || next)) return ''
  return html`<nav class="neighbours" aria-label="In its directory">
<h2>More in <a class="path" href="${directoryUrl(message.directory)}">${message.directory}</a></h2>
<dl>
${previous && html`<dt>Earlier</dt><dd><a href="${messageUrl(previous.message_id)}" rel="prev">${quoteOf(previous)}</a></dd>\n`}${
  next &&
  html`<dt>Later</dt><dd><a href="${messageUrl(next.message_id)}" rel="next">${quoteOf(next)}</a></dd>\n`
}</dl>
</nav>`
}
