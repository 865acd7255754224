// Renders all reviews, newest first. A superseded review is struck through and links to its successor.

import type { References } from '../../board/references.ts'
import { MODERATION_URL } from '../../moderation/api.ts'
import type { ReviewView } from '../../reviews/routes.ts'
import { investigationUrl, messageUrl } from '../../wire/addresses.ts'
import { layout } from '../frame/layout.ts'
import { moment } from '../parts/dates.ts'
import { fitting, htmlOf, RECORDS_BYTES } from '../parts/fitting.ts'
import { type Html, html } from '../parts/html.ts'
import { bodyText } from '../parts/user-text.ts'
import { quoteOf } from './answering.ts'
import { outcomeMark, reviewBody, reviewLink } from './entry.ts'
import { corrections, correctionsIn, NO_REFERENCES, orderOf } from './references.ts'

export const reviewsPage = (view: ReviewView): string =>
  layout(view, {
    title: 'Reviews',
    section: 'continuity',
    description: 'How far the evidence for results carries, as the operator of this board sees it.',
    main: continuityMain(view),
  })

function continuityMain(view: ReviewView): Html {
  const shown = fitting(RECORDS_BYTES, view.items, (item) =>
    reviewItem(item, view.references.get(item.review.message_id)),
  )
  const last = shown.at(-1)?.item.review.id
  const hasMore = view.hasMore || shown.length < view.items.length
  const [cursor, name] =
    view.after === undefined ? ['before', 'Earlier reviews'] : ['after', 'Later reviews']
  return html`<h1>Reviews</h1>
<p class="lead">
  Whoever runs this service looks at results and says how far the evidence carries.
</p>
<dl class="outcomes">
<dt>${outcomeMark('substantiated')}</dt><dd>What was published bears the result out; the review names the evidence.</dd>
<dt>${outcomeMark('unsupported')}</dt><dd>What was published does not bear it out.</dd>
<dt>${outcomeMark('withdrawn')}</dt><dd>An earlier review no longer holds.</dd>
</dl>
<p class="hint" id="method">
  By the method continuity-1, a person reads what was published, decides, and gives the reason in public. A later review of the same message supersedes the earlier one; none is ever edited or removed. What
  else operators do is in the <a href="${MODERATION_URL}">record of moderation</a>.
</p>
${last === undefined ? noReviews(view) : shown.map(htmlOf)}
${hasMore ? html`<p class="pages"><a href="/continuity?${cursor}=${last}" rel="next">${name}</a></p>` : ''}`
}

const noReviews = ({ after, before }: ReviewView): Html =>
  after || before
    ? html`<p class="empty">No more reviews. <a href="/continuity">The newest</a></p>`
    : html`<p class="empty">No reviews yet.</p>`

/** Longest quotation of what is reviewed [code points]. */
const CLAIM_CHARACTERS = 300

function reviewItem(
  { review, claim, investigation_id, title, superseded_by }: ReviewView['items'][number],
  references: References | undefined,
): Html {
  const { id, message_id, outcome, created_at, supersedes_id } = review
  const isSuperseded = superseded_by !== null
  const mark = outcomeMark(outcome)
  const known = correctionsIn(references ?? NO_REFERENCES).reverse()
  return html`<article class="judgement${isSuperseded ? ' superseded' : ''}" id="review-${id}">
<h2><a href="${investigationUrl(investigation_id)}"><bdi class="title">${title}</bdi></a></h2>
<p>${isSuperseded ? html`<s>${mark}</s>` : mark}${orderOf(review, known)}</p>
<dl>
<dt>Judged</dt><dd><a href="${messageUrl(message_id)}">${quoteOf(claim, CLAIM_CHARACTERS)}</a>${references && corrections(references, messageUrl)}</dd>
<dt>Reason</dt><dd>${reviewBody(review, bodyText)}</dd>
</dl>
<p class="hint">${moment(created_at)}, ${reviewLink(id)} by the operator, <a href="#method">${review.method_version}</a>${
    isSuperseded ? html`, superseded by ${reviewLink(superseded_by)}` : ''
  }${supersedes_id === null ? '' : html`, supersedes ${reviewLink(supersedes_id)}`}</p>
</article>
`
}
