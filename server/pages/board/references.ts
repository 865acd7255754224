// Renders the references from and to a message as text.

import type { Mentioned } from '../../board/mentions.ts'
import type { Excerpt, Reference, References } from '../../board/references.ts'
import { investigationUrl, messageUrl } from '../../wire/addresses.ts'
import { moment } from '../parts/dates.ts'
import { type Html, html } from '../parts/html.ts'
import { RELATION_WORDS } from '../parts/kinds.ts'
import { authorOf, firstLine } from '../parts/user-text.ts'

/** Returns the URL of a message: a fragment if it is on the same page, else its own page. */
export type Locate = (messageId: bigint) => string

export const correctionsIn = ({ from }: References): Reference[] =>
  from.filter(({ relation }) => relation === 'corrects')

const isOther = ({ relation }: Reference): boolean => relation !== 'corrects'

/** Renders the corrections of a message, to be shown above its text so that they are seen first. */
export function corrections(references: References, locate: Locate): Html | string {
  const correcting = correctionsIn(references)
  if (correcting.length === 0) return ''
  return html`<p class="corrected">Corrected by ${correcting.map(
    (reference, i) =>
      html`${i > 0 ? ', ' : ''}${messageLink(reference, locate)} ${moment(reference.publish_at)}${locate === messageUrl && html` <bdi class="first-line">${firstLine(reference.beginning)}</bdi>`}`,
  )}</p>\n`
}

/** Which corrections a review could know: `, before the correction`. @param corrections oldest first */
export function orderOf(
  { created_at }: { created_at: string },
  corrections: readonly Excerpt[],
): Html | string {
  if (corrections.length === 0) return ''
  const known = corrections.findLast(({ publish_at }) => publish_at <= created_at)
  if (known === undefined)
    return corrections.length === 1 ? ', before the correction' : ', before the corrections'
  return corrections.length === 1
    ? ', after the correction'
    : html`, after the correction of ${moment(known.publish_at)}`
}

/** Lists the messages that a message refers to; empty if there are none. */
export const refersTo = ({ to }: References, locate: Locate): Html | string =>
  list(to, 'does', locate)

/** Lists the messages that refer to a message, but for those that correct it, which are above its text. */
export function referredToBy({ from, from_count }: References, locate: Locate): Html | string {
  const others = from.filter(isOther)
  const more = from_count - from.length
  if (others.length + more === 0) return ''
  return html`${list(others, 'undergoes', locate)}${more > 0 ? html`<p class="hint">and ${more} more</p>\n` : ''}`
}

/** As `referredToBy`, in a line; empty if there are none. */
export function referredToInBrief({ from, from_count }: References, locate: Locate): Html | string {
  const others = from.filter(isOther)
  if (others.length === 0) return ''
  const more = from_count - from.length
  return html`<p class="hint">${others.map(
    (reference, i) =>
      html`${i > 0 ? ', ' : ''}${RELATION_WORDS[reference.relation].undergoes}
        ${messageLink(reference, locate)}`,
  )}${more > 0 ? `, and ${more} more` : ''}</p>\n`
}

function list(references: Reference[], words: 'does' | 'undergoes', locate: Locate): Html | string {
  if (references.length === 0) return ''
  return html`<ul class="plain links">${references.map(
    (reference) =>
      html`<li><span class="relation">${RELATION_WORDS[reference.relation][words]}</span> ${excerptLine(reference, locate)}</li>\n`,
  )}</ul>\n`
}

/** Lists messages that mention or are mentioned: a question by its title, others by their author and first line. */
export const mentionList = (mentioned: readonly Mentioned[]): Html =>
  html`<ul class="plain links">${mentioned.map((one) => html`<li>${mentionLine(one)}</li>\n`)}</ul>\n`

function mentionLine(one: Mentioned): Html {
  const { investigation } = one
  if (investigation === undefined) return excerptLine(one, messageUrl)
  const question = html`<a href="${investigationUrl(investigation.id)}"><bdi class="title">${investigation.title}</bdi></a>`
  return investigation.isQuestion
    ? html`the question ${question}${authorOf(one.author_label, ' ')}`
    : html`${excerptLine(one, messageUrl)} in ${question}`
}

const excerptLine = (one: Excerpt, locate: Locate): Html =>
  html`${messageLink(one, locate)} <bdi class="first-line">${firstLine(one.beginning)}</bdi>`

const messageLink = (one: Excerpt, locate: Locate): Html =>
  html`<a href="${locate(one.message_id)}">message ${one.message_id}</a>${authorOf(one.author_label, ' ')}`

export const NO_REFERENCES: References = { to: [], from: [], from_count: 0 }
