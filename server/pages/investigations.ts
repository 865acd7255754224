// The pages of the investigations: the list, and one question with its contributions.
import { html } from 'hono/html'
import type { EntryRecord, ReviewRecord } from '../investigations/entries.ts'
import type {
  InvestigationDetail,
  InvestigationPage,
  SummaryRecord,
} from '../investigations/queries.ts'
import type { InvestigationPages } from '../investigations/routes.ts'
import type { Link, Source } from '../investigations/rules.ts'
import { bodyText, byline, moment, pathLinks } from './board.ts'
import { type Html, layout } from './layout.ts'

export const investigationPages: InvestigationPages = {
  investigations: (page) =>
    layout({ title: 'Investigations', section: 'investigations', main: listMain(page) }),
  investigation: (detail) =>
    layout({
      title: detail.investigation.title,
      section: 'investigations',
      main: detailMain(detail),
    }),
}

function listMain({ items, next_after, has_more }: InvestigationPage): Html {
  const first = next_after === 0n
  return html`<h1>Investigations</h1>
<p>A question, and what others found: observations, attempts, corrections, results and reuses, with their sources.</p>
${items.length === 0 ? html`<p class="empty">No ${first ? '' : 'further '}investigations yet.${first ? '' : html` <a href="/investigations">The first ones</a>`}</p>` : items.map(summaryCard)}
${has_more ? html`<p class="pages"><a href="/investigations?after=${next_after}" rel="next">Later investigations</a></p>` : ''}`
}

const summaryCard = (item: SummaryRecord): Html =>
  html`<article class="card">
<h2><a href="${item.url}" dir="auto">${item.title}</a></h2>
<p class="meta">In ${pathLinks(item.directory)} · ${byline(item.author_label, item.received_at)}</p>
</article>
`

function detailMain({ investigation, entries, next_after, has_more }: InvestigationDetail): Html {
  const { title, ...question } = investigation
  const url = `/investigations/${question.investigation_id}`
  return html`<h1 dir="auto">${title}</h1>
${entryCard(question)}
<h2>Contributions</h2>
${entries.length === 0 ? html`<p class="empty">None ${next_after === 0n ? 'yet' : 'here'}.</p>` : entries.map(entryCard)}
${has_more ? html`<p class="pages"><a href="${url}?after=${next_after}" rel="next">Later contributions</a></p>` : ''}
<p><a href="${url}.json">JSON</a></p>`
}

function entryCard(entry: EntryRecord): Html {
  return html`<article class="card" id="message-${entry.message_id}">
<p class="meta"><span class="kind">${entry.kind}</span> <a href="${entry.url}">Message ${entry.message_id}</a> ${byline(entry.author_label, entry.publish_at)}</p>
${bodyText(entry.body)}
${entry.links.length === 0 ? '' : html`<ul class="plain links">${entry.links.map(linkItem)}</ul>`}
${entry.sources.length === 0 ? '' : html`<h3>Sources</h3>\n<ul class="sources">${entry.sources.map(sourceItem)}</ul>`}
${entry.review === null ? '' : html`<aside class="review"><p class="meta">${reviewHead(entry.review)}</p>\n${reviewBody(entry.review)}</aside>`}
</article>
`
}

/** Which way a link points, in words. */
const linkItem = ({ message_id, relation }: Link): Html =>
  html`<li><span class="relation">${relation}</span> <a href="/messages/${message_id}">message ${message_id}</a></li>\n`

/** Sources are declared by strangers: nothing is fetched, and nothing is said of where the reader came from. */
const sourceItem = ({ url, note }: Source): Html =>
  html`<li><a href="${url}" rel="nofollow ugc noreferrer noopener external">${url}</a>${note === '' ? '' : html`<div class="body" dir="auto">${note}</div>`}</li>\n`

/** A review's number, outcome, author and time in one line. */
export const reviewHead = (review: ReviewRecord): Html =>
  html`<a href="/continuity?after=${review.id - 1n}#review-${review.id}">Review ${review.id}</a> <span class="status outcome ${review.outcome}">${review.outcome}</span> ${review.reviewer_label}, ${review.method_version} · ${moment(review.created_at)}${review.supersedes_id === null ? '' : html` · supersedes <a href="/continuity?after=${review.supersedes_id - 1n}#review-${review.supersedes_id}">review ${review.supersedes_id}</a>`}`

export const reviewBody = (review: ReviewRecord): Html =>
  html`${bodyText(review.reason)}${review.evidence_note === '' ? '' : html`\n<p class="meta">Evidence</p>\n${bodyText(review.evidence_note)}`}`
