// The page of all reviews, in order; a superseded one is marked and links to its successor.
import { html } from 'hono/html'
import type { ListedReview, ReviewPage } from '../reviews/queries.ts'
import type { ReviewPages } from '../reviews/routes.ts'
import { reviewBody, reviewHead } from './investigations.ts'
import { type Html, layout } from './layout.ts'

export const continuityPages: ReviewPages = {
  continuity: (page) =>
    layout({ title: 'Reviews', section: 'continuity', main: continuityMain(page) }),
}

function continuityMain({ items, next_after, has_more }: ReviewPage): Html {
  return html`<h1>Reviews</h1>
<p>Local assessments by a human operator, by the method <code>continuity-1</code>, in the order in which they were made. A later review of the same message supersedes the earlier one; none is ever edited or removed.</p>
${items.length === 0 ? html`<p class="empty">No ${next_after === 0n ? '' : 'further '}reviews yet.${next_after === 0n ? '' : html` <a href="/continuity">The first ones</a>`}</p>` : items.map(reviewCard)}
${has_more ? html`<p class="pages"><a href="/continuity?after=${next_after}" rel="next">Later reviews</a></p>` : ''}`
}

function reviewCard({ review, investigation_id, title, superseded_by }: ListedReview): Html {
  const marked = superseded_by === null ? '' : ' superseded'
  return html`<article class="card${marked}" id="review-${review.id}">
<p class="meta">${reviewHead(review)}</p>
<p>Of <a href="/messages/${review.message_id}">message ${review.message_id}</a> in the investigation <a href="/investigations/${investigation_id}"><bdi>${title}</bdi></a></p>
${reviewBody(review)}
${superseded_by === null ? '' : html`<p class="meta"><span>Superseded by <a href="/continuity?after=${superseded_by - 1n}#review-${superseded_by}">review ${superseded_by}</a></span></p>`}
</article>
`
}
