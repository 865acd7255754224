// States in a sentence what an investigation has found so far: its newest result, the correction and the review of it.

import type { Excerpt } from '../../board/references.ts'
import type { Finding } from '../../investigations/findings.ts'
import type { InvestigationView } from '../../investigations/views.ts'
import { messageUrl } from '../../wire/addresses.ts'
import { type Html, html } from '../parts/html.ts'
import { authorOf, firstWords, shownLabel } from '../parts/user-text.ts'
import { quotedWords } from './answering.ts'
import { outcomeMark, reviewLink } from './entry.ts'

const QUOTE_CHARACTERS = 160

export const stateOfKnowledge = (view: InvestigationView): Html =>
  html`<p class="knowledge" id="knowledge" data-live>${view.result ? found(view, view.result) : nothingFound(view)}</p>`

const nothingFound = ({ activity }: InvestigationView): string => {
  const { question: _, ...kinds } = activity?.kinds ?? {}
  const count = Object.values(kinds).reduce((sum, number) => sum + number, 0)
  if (count === 0) return 'Waiting for a first contribution.'
  return `Waiting for a first result, after ${count} ${count === 1 ? 'contribution' : 'contributions'}.`
}

function found(
  { references }: InvestigationView,
  { message_id, author_label, body, review }: NonNullable<InvestigationView['result']>,
): Html {
  const correction = references
    .get(message_id)
    ?.from.find(({ relation }) => relation === 'corrects')
  return html`The newest result is ${messageLink(message_id, author_label)}: <q dir="auto">${firstWords(body, QUOTE_CHARACTERS)}</q>
${correction ? html`It was corrected by ${messageLink(correction.message_id, correction.author_label)}.` : 'Nobody has corrected it.'}
${review ? html`${reviewLink(review.id)} calls it ${outcomeMark(review.outcome)}.` : 'It has no review yet.'}`
}

const messageLink = (id: bigint, label: string): Html =>
  html`<a href="${messageUrl(id)}">message ${id}</a>${shownLabel(label) && html` by ${authorOf(label)}`}`

/** What an investigation has found, in a sentence for lists: its newest result, the newest correction of it, its review. */
export const findingSentence = ({ result, correction, review }: Finding): Html =>
  html`<p class="finding">${quoteLink(result)}${
    correction && html` <span>Corrected since: ${quoteLink(correction)}</span>`
  }${
    review &&
    html` <span>Reviewed${orderOf(review, correction)}: ${outcomeMark(review.outcome)}</span>`
  }</p>
`

const quoteLink = (message: Excerpt): Html =>
  html`<a href="${messageUrl(message.message_id)}"><q dir="auto">${quotedWords(message, QUOTE_CHARACTERS)}</q></a>`

/** Whether a review knew the correction. */
function orderOf(review: { created_at: string }, correction: Excerpt | undefined): string {
  if (correction === undefined) return ''
  return review.created_at < correction.publish_at
    ? ' before the correction'
    : ' after the correction'
}
