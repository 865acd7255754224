// The pages of the investigations: the list, and one question with its contributions.
import { html } from 'hono/html'
import type { References } from '../board/references.ts'
import type { EntryRecord, RootRecord, SummaryRecord } from '../investigations/api.ts'
import type {
  InvestigationPages,
  InvestigationsView,
  InvestigationView,
} from '../investigations/routes.ts'
import type { Source } from '../investigations/rules.ts'
import type { ReviewRecord } from '../reviews/api.ts'
import { pathLinks } from './board.ts'
import { contributionForm, FORM_ID, investigationForm, scriptOf } from './forms.ts'
import { type Html, layout } from './layout.ts'
import { closedNotice } from './notice.ts'
import { corrections, type Locate, NO_REFERENCES, referredToBy, refersTo } from './references.ts'
import { bodyText, byline, clampedBody, moment, sourceLink } from './user-text.ts'

/** @param formScript the address of the script behind the forms */
export const investigationPages = (formScript: string): InvestigationPages => ({
  investigations: (view) =>
    layout({
      title: 'Investigations',
      section: 'investigations',
      script: scriptOf(view, formScript),
      main: listMain(view),
    }),
  investigation: (view) =>
    layout({
      title: view.investigation.title,
      section: 'investigations',
      script: scriptOf(view, formScript),
      main: detailMain(view),
    }),
})

function listMain(view: InvestigationsView): Html {
  const { items, next_after, has_more, closed, suggested } = view
  const first = next_after === 0n
  return html`<h1>Investigations</h1>
<p>A question, and what others found: observations, attempts, corrections, results and reuses, with their sources.</p>
${closed === null ? html`<p><a class="act" href="#${FORM_ID}">Ask a question</a></p>` : closedNotice(closed)}
${items.length === 0 ? html`<p class="empty">No ${first ? '' : 'further '}investigations yet.${first ? '' : html` <a href="/investigations">The first ones</a>`}</p>` : items.map(summaryCard)}
${has_more ? html`<p class="pages"><a href="/investigations?after=${next_after}" rel="next">Later investigations</a></p>` : ''}
${investigationForm(view, { chosen: '', suggested })}`
}

const summaryCard = (item: SummaryRecord): Html =>
  html`<article class="card">
<h2><a href="${item.url}" dir="auto">${item.title}</a></h2>
<p class="meta"><span>In ${pathLinks(item.directory)}</span> ${byline(item.author_label, item.received_at)}</p>
</article>
`

function detailMain(view: InvestigationView): Html {
  const { investigation, entries, next_after, has_more, closed } = view
  const { title, ...question } = investigation
  const url = `/investigations/${question.investigation_id}`
  const here = new Set([question.message_id, ...entries.map((entry) => entry.message_id)])
  const locate = (id: bigint) => (here.has(id) ? `#message-${id}` : `/messages/${id}`)
  const cardOf = (entry: AnyEntry) =>
    entryCard(
      entry,
      view.references.get(entry.message_id) ?? NO_REFERENCES,
      locate,
      closed === null,
    )
  return html`<h1 dir="auto">${title}</h1>
${closed === null ? html`<p><a class="act" href="#${FORM_ID}">Contribute</a></p>` : closedNotice(closed)}
${cardOf(question)}
<h2>Contributions</h2>
${entries.length === 0 ? html`<p class="empty">None ${next_after === 0n ? 'yet' : 'here'}.</p>` : entries.map(cardOf)}
${has_more ? html`<p class="pages"><a href="${url}?after=${next_after}" rel="next">Later contributions</a></p>` : ''}
<p><a href="${url}.json">This investigation as JSON</a></p>
${contributionForm(view, question.investigation_id)}`
}

type AnyEntry = EntryRecord | Omit<RootRecord, 'title'>

function entryCard(
  entry: AnyEntry,
  references: References,
  locate: Locate,
  canRefer: boolean,
): Html {
  const { sources, review } = entry
  return html`<article class="card" id="message-${entry.message_id}">
<p class="meta"><span class="kind">${entry.kind}</span> <a href="${entry.url}">Message ${entry.message_id}</a> ${byline(entry.author_label, entry.publish_at)}</p>
${corrections(references, locate)}${refersTo(references, locate)}${entry.kind === 'question' ? bodyText(entry.body) : clampedBody(entry.body, entry.url)}
${sources.length === 0 ? '' : html`<p class="label">Sources</p>\n<ul class="sources">${sources.map(sourceItem)}</ul>`}
${review === null ? '' : html`<aside class="review" aria-label="Review ${review.id}"><p class="meta">${reviewHead(review)}</p>\n${reviewBody(review)}</aside>`}
${referredToBy(references, locate)}${canRefer ? html`<p class="refer"><a href="#${FORM_ID}" data-refer="${entry.message_id}" aria-label="Refer to this, message ${entry.message_id}">Refer to this</a></p>\n` : ''}</article>
`
}

/** Strangers declare sources: the service fetches none, and a link reveals nothing about where the reader came from. */
const sourceItem = ({ url, note }: Source): Html =>
  html`<li>${sourceLink(url)}${note === '' ? '' : html`<div class="body" dir="auto">${note}</div>`}</li>\n`

const reviewLink = (id: bigint): Html =>
  html`<a href="/continuity?after=${id - 1n}#review-${id}">Review ${id}</a>`

/** A review's number, outcome, author and time in one line. */
export const reviewHead = (review: ReviewRecord): Html =>
  html`${reviewLink(review.id)} <span class="status outcome ${review.outcome}">${review.outcome}</span> <span>by ${review.reviewer_label}, ${review.method_version}</span> ${moment(review.created_at)}${review.supersedes_id === null ? '' : html` <span>supersedes ${reviewLink(review.supersedes_id)}</span>`}`

export const reviewBody = (review: ReviewRecord): Html =>
  html`${bodyText(review.reason)}${review.evidence_note === '' ? '' : html`\n<p class="label">Evidence</p>\n${bodyText(review.evidence_note)}`}`
