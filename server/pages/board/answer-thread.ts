// Renders the thread around a message on its page: what it answers above, its answers in full below.

import { MAX_ABOVE, type ThreadMessage } from '../../board/answers.ts'
import type { MessageView } from '../../board/views.ts'
import type { EntryInContext } from '../../investigations/entries.ts'
import { messageUrl } from '../../wire/addresses.ts'
import { moment, permalink } from '../parts/dates.ts'
import { fitting, htmlOf, RECORDS_BYTES } from '../parts/fitting.ts'
import { type Html, html } from '../parts/html.ts'
import { authorOf, bodyWithin, clampedBody } from '../parts/user-text.ts'
import { answersLink, ownText, responses, standingLines } from './answering.ts'
import { entryLink, sourcesWithin } from './entry.ts'

/** Limit for what a message answers [bytes of HTML]. */
const ABOVE_BYTES = 4_000
/** Limit for the text of an answer, and for its sources [bytes of HTML]; a longer one leads to its page. */
const ANSWER_BYTES = 6_000

/** The nearest messages above, oldest first; the oldest leads to those before it. */
export function messagesAbove(view: MessageView<EntryInContext>): Html | string {
  const { above } = view.thread
  if (above.length === 0) return ''
  const shown = fitting(ABOVE_BYTES, above.toReversed(), (message) =>
    item(view, message, (text) => clampedBody(text, messageUrl(message.message_id))),
  ).reverse()
  const isWhole = shown.length === above.length && above.length < MAX_ABOVE
  const first = messageUrl(shown[0]?.item.message_id ?? 0n)
  return html`<section class="chain" aria-label="What it answers">
<p class="hint">In answer to</p>
${isWhole ? '' : html`<p class="hint"><a href="${first}">Earlier in this thread</a></p>\n`}${shown.map(htmlOf)}</section>
`
}

/** @param used the size of all above them [bytes of HTML] */
export function answersBelow(view: MessageView<EntryInContext>, used: number): Html | string {
  const { message, thread, after } = view
  const { below, hasMore } = thread
  if (below.length === 0 && after === 0n) return ''
  const url = messageUrl(message.id)
  const shown = fitting(RECORDS_BYTES - used, below, (one) =>
    item(view, one, (text) => bodyWithin(ANSWER_BYTES, text, messageUrl(one.message_id))),
  )
  const last = shown.at(-1)?.item.message_id
  const isCut = hasMore || shown.length < below.length
  return html`<section class="chain" id="answers" aria-labelledby="answers-heading">
<h2 id="answers-heading">${below.some(({ answers }) => answers === undefined) ? 'Contributions and answers' : 'Answers'}</h2>
${shown.length === 0 ? html`<p class="empty">None here.</p>` : shown.map(htmlOf)}${
  isCut || after > 0n
    ? html`<p class="pages">${after > 0n ? html`<a href="${url}#answers">First answers</a> ` : ''}${
        isCut ? html`<a href="${url}?after=${last}#answers" rel="next">More answers</a>` : ''
      }</p>`
    : ''
}
</section>
`
}

/**
 * Renders a message of a thread. What it answers is named, unless that is the message above it or of the page and it says
 * anything.
 * @param render renders its text
 */
function item(
  { message, thread, entry }: MessageView<EntryInContext>,
  { message_id, author_label, publish_at, body, answers, ...standing }: ThreadMessage,
  render: (text: string) => Html,
): Html {
  const { id, author_label: label, body: beginning } = message
  const known = [
    ...thread.above,
    { message_id: id, author_label: label, beginning },
    ...thread.below,
  ]
  const to = known.find((one) => one.message_id === answers)
  const text = ownText(body, to)
  const isBelowIt = answers === id || message_id < id
  return html`<article class="message" id="message-${message_id}">
<p class="meta">${permalink(message_id, moment(publish_at))} ${entryLink(message_id, standing)}${authorOf(author_label) || html`<span>no name given</span>`}</p>
${standingLines(standing, entry?.entry.investigation_id)}${isBelowIt && text ? '' : answersLink(to, (id) => `#message-${id}`)}${text && render(text)}${message_id > id && sourcesWithin(ANSWER_BYTES, standing.sources, messageUrl(message_id))}${responses(message_id, standing)}</article>
`
}
