// Renders the parts of an investigation entry other than its text: kind, sources and review; and how many there are of them.

import { CONTRIBUTION_KINDS, OUTCOMES } from '../../../archive/format/record-lines.ts'
import type { Answering } from '../../board/answers.ts'
import type { References } from '../../board/references.ts'
import type { EntryKind } from '../../database/schema/schema.ts'
import type { Activity } from '../../investigations/activity.ts'
import type { Source } from '../../investigations/rules.ts'
import type { ReviewRecord } from '../../reviews/api.ts'
import { investigationUrl } from '../../wire/addresses.ts'
import { utf8Bytes } from '../../wire/text.ts'
import { moment } from '../parts/dates.ts'
import { type Html, html } from '../parts/html.ts'
import { kindName } from '../parts/kinds.ts'
import { bodyText, clampedBody, sourceLink } from '../parts/user-text.ts'
import { quantity } from '../static/counters.ts'
import { correctionsIn, orderOf } from './references.ts'

/** The name of a kind; the style sheet adds a block in the colour of its counter. */
export const kindMark = (kind: EntryKind): Html =>
  html`<span class="kind ${kind}">${kindName(kind)}</span>`

type Entry = Pick<NonNullable<Answering['entry']>, 'kind' | 'investigation_id'>

/** The address of an entry in its investigation. */
function entryUrl(id: bigint, { kind, investigation_id }: Entry): string {
  const url = investigationUrl(investigation_id)
  return kind === 'question' ? url : `${url}?after=${id - 1n}#message-${id}`
}

/** The kind of a message in a list, which leads to its investigation; empty outside of investigations. */
export const entryLink = (id: bigint, { entry }: { entry?: Entry | undefined } = {}): Html | '' =>
  entry ? html`<a href="${entryUrl(id, entry)}">${kindMark(entry.kind)}</a> ` : ''

const sourceList = (sources: readonly Source[]): Html | string =>
  sources.length === 0
    ? ''
    : html`<p class="label">Sources</p>\n<ul class="sources">${sources.map(sourceItem)}</ul>`

/**
 * Lists the sources of an entry, or only links their number if the list is too large.
 * @param bytes the limit for the list's HTML
 * @param url the URL of the whole list
 */
export function sourcesWithin(
  bytes: number,
  sources: readonly Source[],
  url: string,
): Html | string {
  const list = sourceList(sources)
  if (utf8Bytes(String(list)) <= bytes) return list
  return html`<p class="more"><a href="${url}">${quantity(sources.length, 'source')}</a></p>`
}

/** Sources are declared by strangers: the service fetches none, and following one sends no referrer. */
const sourceItem = ({ url, note }: Source): Html =>
  html`<li>${sourceLink(url)}${note === '' ? '' : bodyText(note)}</li>\n`

/** The URL of a review's row on the page of all reviews. */
const reviewUrl = (id: bigint): string => `/continuity?after=${id - 1n}#review-${id}`

export const reviewLink = (id: bigint): Html => html`<a href="${reviewUrl(id)}">Review ${id}</a>`

export const outcomeMark = (outcome: string): Html =>
  html`<span class="status outcome ${outcome}">${outcome}</span>`

/**
 * @param references of the message that is reviewed
 * @param isBrief in a thread, where a long text is cut and links to the page of reviews
 */
export const reviewAside = (review: ReviewRecord, references: References, isBrief = false): Html =>
  html`<aside class="review" aria-label="Review ${review.id}">
<p class="meta">
  <span>${outcomeMark(review.outcome)}${orderOf(review, correctionsIn(references).reverse())}</span>
  <span class="operator">the operator</span>
  ${moment(review.created_at)}
  ${reviewLink(review.id)}${
    review.supersedes_id && html` <span>supersedes ${reviewLink(review.supersedes_id)}</span>`
  }
</p>
${reviewBody(review, isBrief ? (text) => clampedBody(text, reviewUrl(review.id)) : bodyText)}
</aside>`

export const reviewBody = (
  { reason, evidence_note }: ReviewRecord,
  shown: (text: string) => Html,
): Html =>
  html`${reason === null ? html`<p class="label">The reason was erased.</p>` : shown(reason)}${
    evidence_note && html`\n<p class="label">Evidence</p>\n${shown(evidence_note)}`
  }`

export function contributionsIn(activity: Activity | undefined): number {
  const { question: _, ...kinds } = activity?.kinds ?? {}
  return Object.values(kinds).reduce((sum, number) => sum + number, 0)
}

/**
 * Renders the number of entries by kind, of sources, and of reviews by outcome.
 * @param isReviewSaid whether a sentence above states the review already
 */
export function countsOf({ kinds, sources, outcomes }: Activity, isReviewSaid = false): Html {
  const entries = CONTRIBUTION_KINDS.filter((kind) => kinds[kind]).map(
    (kind) =>
      html`<span class="kind ${kind}">${quantity(kinds[kind] ?? 0, kindName(kind))}</span> `,
  )
  const reviewed = OUTCOMES.filter((outcome) => outcomes[outcome]).map(
    (outcome) =>
      html`<span class="status outcome ${outcome}">${outcomes[outcome]} ${outcome}</span> `,
  )
  return html`${entries.length === 0 ? html`<span>no contributions yet</span> ` : entries}${
    sources === 0 ? '' : html`<span>${quantity(sources, 'source')}</span> `
  }${isReviewSaid ? '' : reviewed.length === 0 ? html`<span>no review</span>` : reviewed}`
}
