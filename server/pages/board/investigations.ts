// Renders the list of investigations, latest activity first, and puts the page of one (thread.ts) into the layout.

import type {
  InvestigationPages,
  InvestigationsView,
  InvestigationView,
  ListedInvestigation,
} from '../../investigations/views.ts'
import { investigationUrl } from '../../wire/addresses.ts'
import { closedNotice, layout } from '../frame/layout.ts'
import { age, moment } from '../parts/dates.ts'
import { fitting, htmlOf, RECORDS_BYTES, type Rendered } from '../parts/fitting.ts'
import { type Html, html } from '../parts/html.ts'
import { filterLink, pathLinks } from '../parts/paths.ts'
import { authorOf, DESCRIPTION_CHARACTERS, firstWords } from '../parts/user-text.ts'
import { FORM_ID } from '../write/form-fields.ts'
import { investigationForm, scriptOf } from '../write/forms.ts'
import { countsOf } from './entry.ts'
import { findingSentence } from './knowledge.ts'
import { threadMain } from './thread.ts'

export const investigationPages: InvestigationPages = {
  investigations: (view) =>
    layout(view, {
      title: view.about ? 'Ask a question' : 'Investigations',
      description:
        'Questions that anyone can ask, and what others found out about them, with sources.',
      section: 'investigations',
      path: '/investigations',
      script: scriptOf(view),
      main: listMain(view),
    }),
  investigation: (view) =>
    layout(view, {
      title: view.investigation.title,
      description: descriptionOf(view),
      path: investigationUrl(view.investigation.investigation_id),
      json: `${investigationUrl(view.investigation.investigation_id)}.json`,
      feed: {
        path: `${investigationUrl(view.investigation.investigation_id)}.atom`,
        title: 'This investigation',
      },
      section: 'investigations',
      script: scriptOf(view),
      main: threadMain(view),
    }),
}

/** The answer, if there is one, else the question. */
const descriptionOf = ({ investigation, result }: InvestigationView): string =>
  firstWords((result ?? investigation).body, DESCRIPTION_CHARACTERS) ||
  'A question, and what others found out about it.'

function listMain(view: InvestigationsView): Html {
  const { closed, about } = view
  if (about && closed === null)
    return html`<h1 class="before-publishing">Ask a question</h1>\n${investigationForm(view)}`
  return html`<h1>Investigations</h1>
<p class="lead">A question, and what others found: observations, attempts, corrections, results and uses, with their sources.</p>
${closed === null ? html`<p class="to-form"><a class="act" href="#${FORM_ID}">Ask a question</a></p>` : closedNotice(closed)}
<div class="with-form">
<section id="list" data-live aria-label="List">
${filters(view)}
${view.items === null ? STILL_COUNTED : list(view, view.items)}
</section>
${investigationForm(view)}
</div>`
}

const STILL_COUNTED = html`<p class="empty">
  The activity is still being counted. The newest will be here in a moment.
  <a href="/investigations?after=0">All investigations, oldest first</a>
</p>`

type Card = Rendered<ListedInvestigation>

function list(view: InvestigationsView, items: readonly ListedInvestigation[]): Html {
  const shown = fitting(RECORDS_BYTES, items, (item) => investigationCard(item, view.now))
  const cursor = shown.length === items.length ? view.cursor : cursorAfter(view, shown)
  return html`${shown.length === 0 ? emptyList(view) : sections(view, shown)}
${cursor === undefined ? '' : html`<p class="pages"><a href="${nextUrl(view, cursor)}" rel="next">${view.after === undefined ? 'Earlier activity' : 'Later investigations'}</a></p>`}`
}

export const WAITING = 'Waiting for an answer'

/** Divides a page into questions that wait for a result and answered ones; by id it is one list. */
function sections({ after }: InvestigationsView, shown: readonly Card[]): Html[] {
  const section = (heading: string, listed: readonly Card[]) =>
    listed.length === 0
      ? html``
      : html`<section><h2>${heading}</h2>
${listed.map(htmlOf)}</section>
`
  if (after !== undefined) return [section('Oldest first', shown)]
  const { waiting = [], answered = [] } = Object.groupBy(shown, ({ item: { activity } }) =>
    activity?.kinds.result ? 'answered' : 'waiting',
  )
  return [section(WAITING, waiting), section('Answered', answered)]
}

/** The cursor of a next page that begins with the investigations that did not fit on this one. */
function cursorAfter({ after }: InvestigationsView, shown: readonly Card[]): bigint | undefined {
  const last = shown.at(-1)?.item
  return after === undefined ? last?.activity?.lastId : last?.summary.id
}

function emptyList({ after, before, withResult, withoutReview }: InvestigationsView): Html {
  const isWhole = after === undefined && before === undefined && !withResult && !withoutReview
  return isWhole
    ? html`<p class="empty">No investigations yet.</p>`
    : html`<p class="empty">None here. <a href="/investigations">All investigations</a></p>`
}

type Filters = Partial<Pick<InvestigationsView, 'withResult' | 'withoutReview'>>

function listUrl({ withResult, withoutReview }: Filters, before?: bigint): string {
  const query = new URLSearchParams({
    ...(withResult && { with: 'result' }),
    ...(withoutReview && { without: 'review' }),
    ...(before !== undefined && { before: String(before) }),
  })
  return query.size === 0 ? '/investigations' : `/investigations?${query}`
}

const nextUrl = (view: InvestigationsView, cursor: bigint): string =>
  view.after === undefined ? listUrl(view, cursor) : `/investigations?after=${cursor}`

/** Each link toggles its own filter and keeps the other one. */
function filters(view: InvestigationsView): Html {
  const { withResult, withoutReview } = view
  return html`<nav class="filters" aria-label="Show"><ul>
${filterLink(listUrl({}), 'all', !withResult && !withoutReview)}
${filterLink(listUrl({ withResult: !withResult, withoutReview }), 'with result', withResult)}
${filterLink(listUrl({ withResult, withoutReview: !withoutReview }), 'without review', withoutReview)}
</ul></nav>`
}

function investigationCard({ summary, activity, finding }: ListedInvestigation, now: number): Html {
  const newest =
    activity &&
    activity.lastId > 0n &&
    html` <span>newest entry ${age(Number(activity.lastAt), now)}</span>`
  return html`<article class="card investigation">
<h3><a href="${summary.url}" dir="auto">${summary.title}</a></h3>
${finding ? findingSentence(finding) : ''}${activity ? html`<p class="counts">${countsOf(activity, Boolean(finding?.review))}</p>\n` : ''}<p class="meta">
  <span>In ${pathLinks(summary.directory)}</span>
  <span>opened${authorOf(summary.author_label, ' by ', ',')} ${moment(summary.received_at)}</span>${newest}
</p>
</article>
`
}
