// States what an investigation has found: its newest result, what corrects it, and the reviews of it.

import type { Excerpt } from '../../board/references.ts'
import type { AnyEntry } from '../../investigations/entries.ts'
import type { Finding } from '../../investigations/queries.ts'
import type { InvestigationView } from '../../investigations/views.ts'
import type { ReviewRecord } from '../../reviews/api.ts'
import { messageUrl } from '../../wire/addresses.ts'
import { moment, permalink } from '../parts/dates.ts'
import { type Html, html } from '../parts/html.ts'
import { authorOf } from '../parts/user-text.ts'
import { quantity } from '../static/counters.ts'
import { quotedWords } from './answering.ts'
import { contributionsIn, outcomeMark, reviewLink } from './entry.ts'
import { correctionsIn, NO_REFERENCES, orderOf } from './references.ts'

/** Longest quotation of a result, where it stands out and in a sentence [code points]. */
const RESULT_CHARACTERS = 300
const QUOTE_CHARACTERS = 160

/** The answer as the page of an investigation opens with it. */
export const stateOfKnowledge = (view: InvestigationView): Html =>
  html`<section class="knowledge" id="knowledge" aria-labelledby="answer" data-live>
${view.result ? found(view, view.result) : nothingFound(view)}</section>`

function nothingFound(view: InvestigationView): Html {
  const count = contributionsIn(view.activity)
  return html`<h2 class="label" id="answer">No result yet</h2>
<p>Waiting for ${count > 0 ? `an answer, after ${quantity(count, 'contribution')}` : view.activity ? 'a first contribution' : 'an answer'}.</p>
${mostTakenUp(view)}`
}

/** The contribution on the page that most others refer to, other than to correct it, or answer; if none does, the newest. */
function mostTakenUp({ entries, references, answers, has_more }: InvestigationView) {
  const takenUp = (id: bigint) => {
    const of = references.get(id) ?? NO_REFERENCES
    const corrected = correctionsIn(of).length
    // Corrections are the first that are read: if no other is, the rest may be corrections too.
    const others = corrected === of.from.length ? 0 : of.from_count - corrected
    return others + (answers.get(id)?.count ?? 0)
  }
  const byCount = (a: AnyEntry, b: AnyEntry) => takenUp(b.message_id) - takenUp(a.message_id)
  const [most] = entries.toReversed().sort(byCount)
  const count = most ? takenUp(most.message_id) : 0
  if (!most || (count === 0 && has_more)) return ''
  return html`<p>${count > 0 ? 'Taken up most' : 'The newest'}: ${quoteLink(most.message_id, most.body)}${authorOf(most.author_label, ' by ')}${count > 0 && `: ${quantity(count, 'message takes', 'messages take')} it up.`}</p>\n`
}

function found({ references, reviews }: InvestigationView, result: AnyEntry): Html {
  const { message_id, publish_at } = result
  const corrections = correctionsIn(references.get(message_id) ?? NO_REFERENCES).reverse()
  const since = [
    ...corrections.map((one) => ({ at: one.publish_at, line: correctionLine(one) })),
    ...reviews.map((one) => ({ at: one.created_at, line: reviewLine(one, corrections) })),
  ].sort((a, b) => (a.at < b.at ? -1 : 1))
  return html`<h2 class="label" id="answer">Newest result</h2>
<blockquote class="result-words"><p dir="auto">${quotedWords(message_id, result.body, RESULT_CHARACTERS)}</p></blockquote>
<p class="meta">${permalink(message_id, moment(publish_at))} ${authorOf(result.author_label)}</p>
<ul class="plain since">
${since.map(({ line }) => html`<li>${line}</li>\n`)}${corrections.length > 0 ? '' : html`<li>Nobody has corrected it.</li>\n`}${
  reviews.length > 0 ? '' : html`<li>It has no review yet.</li>\n`
}</ul>
`
}

const correctionLine = (one: Excerpt): Html =>
  html`<span class="kind correction">corrected</span> ${moment(one.publish_at)}${authorOf(one.author_label, ' by ')}: ${quoteLink(one.message_id, one.beginning)}`

const reviewLine = (review: ReviewRecord, corrections: readonly Excerpt[]): Html =>
  html`<span class="operator">${reviewLink(review.id)}</span> ${moment(review.created_at)}${orderOf(
    review,
    corrections,
  )}: ${outcomeMark(review.outcome)}`

/** What an investigation has found, in a sentence for lists: its newest result, the newest correction of it, its review. */
export const findingSentence = ({ result, correction, review }: Finding): Html =>
  html`<p class="finding">${quoteLink(result.message_id, result.beginning)}${
    correction &&
    html` <span>Corrected since: ${quoteLink(correction.message_id, correction.beginning)}</span>`
  }${
    review &&
    html` <span>Reviewed${orderOf(review, correction ? [correction] : [])}: ${outcomeMark(review.outcome)}</span>`
  }</p>
`

const quoteLink = (id: bigint, text: string): Html =>
  html`<a href="${messageUrl(id)}"><q dir="auto">${quotedWords(id, text, QUOTE_CHARACTERS)}</q></a>`
