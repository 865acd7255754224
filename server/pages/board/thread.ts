// Renders an investigation as a thread: the question, its entries along a rail, and an aside with counts.

import type { AnyEntry } from '../../investigations/entries.ts'
import type { Link } from '../../investigations/rules.ts'
import type { InvestigationView } from '../../investigations/views.ts'
import { investigationUrl, messageUrl } from '../../wire/addresses.ts'
import { followInvestigationUrl } from '../feeds/follow.ts'
import { closedNotice } from '../frame/layout.ts'
import { moment } from '../parts/dates.ts'
import {
  FIRST_RECORD_BYTES,
  fitting,
  fittingText,
  htmlOf,
  RECORDS_BYTES,
  sizeOf,
} from '../parts/fitting.ts'
import { type Html, html } from '../parts/html.ts'
import { RELATION_WORDS } from '../parts/kinds.ts'
import { pathLinks } from '../parts/paths.ts'
import { authorOf, clampedBody } from '../parts/user-text.ts'
import { FORM_ID } from '../write/form-fields.ts'
import { contributionForm } from '../write/forms.ts'
import { answersLink, ownText, responses } from './answering.ts'
import { countsOf, kindMark, reviewAside, sourcesWithin } from './entry.ts'
import { stateOfKnowledge } from './knowledge.ts'
import {
  corrections,
  type Locate,
  NO_REFERENCES,
  referredToInBrief,
  refersTo,
} from './references.ts'

/** Limit for the sources of an entry in a thread [bytes of HTML]. */
const SOURCES_BYTES = 3_000

export function threadMain(given: InvestigationView): Html {
  const { view, asked, items } = renderedThread(given)
  const { investigation, entries, next_after, has_more } = view
  const { title, ...question } = investigation
  const url = investigationUrl(question.investigation_id)
  return html`<h1 dir="auto">${title}</h1>
${stateOfKnowledge(view)}
<div class="with-aside">
${asked}
${aside(view)}
<div class="thread" id="thread" data-live>
<h2>Contributions</h2>
${entries.length === 0 ? html`<p class="empty">None ${next_after === 0n ? 'yet' : 'here'}.</p>` : items}
${has_more ? html`<p class="pages"><a href="${url}?after=${next_after}" rel="next">Later contributions</a></p>` : ''}
</div>
${contributionForm(view)}
</div>`
}

/** Moves the entries that do not fit on this page to the next one, to which references then lead. */
function renderedThread(view: InvestigationView): {
  view: InvestigationView
  asked: Html
  items: Html[]
} {
  const { investigation, entries } = view
  const itemOf = entryItems(view, [investigation, ...entries])
  const asked = itemOf(investigation)
  const shown = fitting(RECORDS_BYTES - sizeOf(asked), entries, itemOf)
  const last = shown.at(-1)?.item
  if (last === undefined || shown.length === entries.length)
    return { view, asked, items: shown.map(htmlOf) }
  const first = shown.map(({ item }) => item)
  return renderedThread({ ...view, entries: first, next_after: last.message_id, has_more: true })
}

/** Returns the renderer of entries. References to entries on the same page link to them there. */
function entryItems({ references, answers, closed }: InvestigationView, all: readonly AnyEntry[]) {
  const here = new Set(all.map((entry) => entry.message_id))
  const locate: Locate = (id) => (here.has(id) ? `#message-${id}` : messageUrl(id))
  return (entry: AnyEntry): Html => {
    const { message_id: id, kind, url, review } = entry
    const related = references.get(id) ?? NO_REFERENCES
    const { to, count = 0 } = answers.get(id) ?? {}
    const body = ownText(entry.body, to)
    const author = authorOf(entry.author_label)
    const renderWith = (text: Html) => html`<article class="entry of-${kind}" id="message-${id}">
<p class="rail">${kindMark(kind)} <a href="${url}">${moment(entry.publish_at)}</a> <span>message ${id}</span></p>
<div class="said">
${author && html`<p class="meta">${author}</p>\n`}${corrections(related, locate)}${refersTo(related, locate)}${answersLink(to, locate)}${body && text}${responses(id, { count })}
${sourcesWithin(SOURCES_BYTES, entry.sources, url)}
${review === null ? '' : reviewAside(review, related, true)}
${referredToInBrief(related, locate)}${closed === null ? referLinks(id, investigationUrl(entry.investigation_id)) : ''}</div>
</article>
`
    return kind === 'question'
      ? fittingText(FIRST_RECORD_BYTES, { body, url }, renderWith)
      : renderWith(clampedBody(body, url))
  }
}

/** Leads to the form with a link to this entry. One control, which shows what the link can say. */
const referLinks = (id: bigint, url: string): Html =>
  html`<details class="refer" data-refer="${id}"><summary>Refer to this<span class="unseen"> message ${id}</span></summary>
${OFFERED.map((relation) => {
  const { verb } = RELATION_WORDS[relation]
  return html`<a href="${url}?${relation}=${id}#${FORM_ID}" data-relation="${relation}"
      aria-label="${verb} message ${id}">${verb}</a> `
})}</details>
`

const OFFERED: readonly Link['relation'][] = ['corrects', 'supports', 'extends', 'reuses']

/** Renders how to contribute and to follow, and the counts of the whole thread. */
function aside({ investigation, directory, activity, closed }: InvestigationView): Html {
  const url = investigationUrl(investigation.investigation_id)
  return html`<aside class="beside" aria-label="About this investigation">
${closed === null ? html`<p><a class="act" href="#${FORM_ID}">Contribute</a></p>` : closedNotice(closed)}
${activity ? html`<p class="counts" id="counts" data-live>${countsOf(activity)}</p>` : ''}
<p class="meta"><span>In ${pathLinks(directory)}</span></p>
<p class="links"><a href="${followInvestigationUrl(investigation.investigation_id)}">Follow</a> <a href="${url}.json">JSON</a></p>
</aside>`
}
