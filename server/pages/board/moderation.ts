// Renders the record of moderation: what operators can and cannot do, how to reach them, and what they did, newest first.

import { ARCHIVE_URL } from '../../../archive/format/paths.ts'
import { type ActionRecord, MODERATION_URL } from '../../moderation/api.ts'
import type { Readable } from '../../moderation/record.ts'
import type { ModerationView } from '../../moderation/routes.ts'
import { nameOf, type Target } from '../../moderation/rules.ts'
import { directoryUrl, investigationUrl, messageUrl } from '../../wire/addresses.ts'
import { layout } from '../frame/layout.ts'
import { moment } from '../parts/dates.ts'
import { fitting, htmlOf, RECORDS_BYTES } from '../parts/fitting.ts'
import { type Html, html } from '../parts/html.ts'
import { bodyText } from '../parts/user-text.ts'
import { reviewLink } from './entry.ts'

export const moderationPage = (view: ModerationView): string =>
  layout(view, {
    title: 'Record of moderation',
    description: 'What whoever runs this board has hidden, shown, erased or switched, and why.',
    main: moderationMain(view),
  })

function moderationMain(view: ModerationView): Html {
  const { target, contact } = view
  const whole = target === undefined
  return html`<h1>Record of moderation</h1>
<p class="lead">${whole ? 'What the operator of this board has done here, newest first. No entry is ever changed or removed; a reason can be blanked, which is an entry of its own.' : html`${concerning(target)} <a href="${MODERATION_URL}">All actions</a>`}</p>
<p id="reach">${contact ? reach(view, contactLink(contact)) : 'The operator has given no address here.'}</p>
${record(view)}
<p class="links"><a href="/api/v1/moderation">The record as JSON</a></p>
${whole && view.isFirst ? POWERS : ''}`
}

function concerning(target: Target): Html {
  const the = 'The actions that concern'
  if (target.kind === 'directory')
    return html`${the} the directory <a class="path" href="${directoryUrl(target.path)}">${target.path}</a> or one above it.`
  const [url, parts] =
    target.kind === 'message'
      ? [messageUrl(target.id), 'its investigation']
      : [investigationUrl(target.id), 'its question']
  return html`${the} <a href="${url}">${target.kind} ${target.id}</a>, ${parts} or its directory.`
}

/** States what operators can do, in words that the software makes true. */
const POWERS = html`<div class="both-ways">
<section><h2>The operator can</h2>
<ul>
<li>hide a message, an investigation or a directory with everything in it, and show it again;</li>
<li>erase what the author of a hidden message wrote: its number, its times and its hash remain;</li>
<li><a href="/continuity">review</a> how far the evidence for a result carries;</li>
<li>close the board for writing, or a part of it;</li>
<li>correct the dates of records that a wrong clock has dated ahead.</li>
</ul>
</section>
<section><h2>The operator cannot</h2>
<ul>
<li>do any of this through the service without an entry here;</li>
<li>
  change or drop a message of a finished day unnoticed: its hash is among those of a
  <a href="${ARCHIVE_URL}#copy">signed list</a> that can only grow.
</li>
</ul>
</section>
</div>
`

const reach = ({ isKept }: ModerationView, operator: Html): Html =>
  isKept
    ? html`${operator} runs this mirror. Only the operator of its source can remove a text.`
    : html`To have a text removed, write to ${operator} with its number.`

function contactLink(contact: string): Html {
  if (/^https?:\/\/\S+$/.test(contact))
    return html`<a href="${contact}" rel="external"><bdi>${contact}</bdi></a>`
  if (/^[^\s@]+@[^\s@]+$/.test(contact))
    return html`<a href="mailto:${contact}"><bdi>${contact}</bdi></a>`
  return html`<bdi>${contact}</bdi>`
}

function record(view: ModerationView): Html {
  const shown = fitting(RECORDS_BYTES, view.actions, (action) => actionRows(action, view.readable))
  const last = shown.at(-1)?.item
  if (last === undefined)
    return html`<p class="empty">${view.target === undefined ? 'No actions yet.' : 'None.'}</p>`
  const hasMore = view.hasMore || shown.length < view.actions.length
  const filter = view.target
    ? `&${view.target.kind}=${encodeURIComponent(nameOf(view.target))}`
    : ''
  return html`<table class="moderated">
<thead><tr><th scope="col">When</th><th scope="col">Action</th><th scope="col">Concerns</th></tr></thead>
${shown.map(htmlOf)}</table>
${hasMore ? html`<p class="pages"><a href="${MODERATION_URL}?before=${last.id}${filter}" rel="next">Earlier actions</a></p>` : ''}`
}

/** Each action is a row group: a row with its facts, and below it a row with its reason. */
const actionRows = (
  action: ActionRecord,
  readable: Readable,
): Html => html`<tbody id="action-${action.id}">
<tr><th scope="row">${moment(action.created_at)}</th><td>${action.action}</td><td>${targetOf(action, readable)}</td></tr>
<tr class="why"><td colspan="3">
${action.reason === null ? html`<p class="hint">No public reason.</p>` : bodyText(action.reason)}
</td></tr>
</tbody>
`

/** Ranges of an action on many messages that the page shows; the JSON has all. */
const RANGES_SHOWN = 20

/** What an action concerns, as a link if it can be read now. */
function targetOf(
  { target_kind: kind, target: of, ranges }: ActionRecord,
  { messages: readable, investigations }: Readable,
): Html | string {
  if (ranges !== null) return messages(ranges)
  if (typeof of === 'string') return of
  if (of === null) return 'a directory'
  if (kind === 'message')
    return readable.has(of) ? html`<a href="${messageUrl(of)}">Message ${of}</a>` : `Message ${of}`
  if (kind === 'investigation')
    return investigations.has(of)
      ? html`<a href="${investigationUrl(of)}">Investigation ${of}</a>`
      : `Investigation ${of}`
  if (kind === 'review') return reviewLink(of)
  return html`<a href="${MODERATION_URL}?before=${of + 1n}#action-${of}">Action ${of}</a>`
}

function messages(ranges: NonNullable<ActionRecord['ranges']>): string {
  const count = ranges.reduce((sum, [first, last]) => sum + last - first + 1n, 0n)
  const shown = ranges
    .slice(0, RANGES_SHOWN)
    .map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`))
  const more = ranges.length > RANGES_SHOWN ? ', …' : ''
  return `${count} messages: ${shown.join(', ')}${more}`
}
