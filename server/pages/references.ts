// What a message refers to and what refers to it, in words.
import { html } from 'hono/html'
import type { Reference, References } from '../board/references.ts'
import type { Html } from './html.ts'
import { moment } from './times.ts'
import { firstLine } from './user-text.ts'

/** Where a message is: on the page at hand, or on its own. */
export type Locate = (messageId: bigint) => string

const FORWARD: Record<Reference['relation'], string> = {
  extends: 'extends',
  supports: 'supports',
  corrects: 'corrects',
  reuses: 'reuses',
}

const BACKWARD: Record<Reference['relation'], string> = {
  extends: 'extended by',
  supports: 'supported by',
  corrects: 'corrected by',
  reuses: 'reused by',
}

/** Above a text that others have corrected: whoever reads it must see that first. */
export function corrections({ from }: References, locate: Locate): Html | string {
  const correcting = from.filter(({ relation }) => relation === 'corrects')
  if (correcting.length === 0) return ''
  return html`<p class="corrected">Corrected by ${correcting.map(
    (reference, i) =>
      html`${i > 0 ? ', ' : ''}<a href="${locate(reference.message_id)}">message ${reference.message_id}</a>${author(reference)} ${moment(reference.publish_at)}`,
  )}</p>\n`
}

/** The list of what a message refers to; empty without any. */
export const refersTo = ({ to }: References, locate: Locate): Html | string =>
  list(to, FORWARD, locate)

/** The list of what refers to a message; empty without any. */
export function referredToBy({ from, from_count }: References, locate: Locate): Html | string {
  const more = from_count - from.length
  return html`${list(from, BACKWARD, locate)}${more > 0 ? html`<p class="hint">and ${more} more</p>\n` : ''}`
}

function list(
  references: Reference[],
  words: Record<Reference['relation'], string>,
  locate: Locate,
): Html | string {
  if (references.length === 0) return ''
  return html`<ul class="plain links">${references.map(
    (reference) =>
      html`<li><span class="relation">${words[reference.relation]}</span> <a href="${locate(reference.message_id)}">message ${reference.message_id}</a>${author(reference)} <bdi class="first-line">${firstLine(reference.beginning)}</bdi></li>\n`,
  )}</ul>\n`
}

const author = ({ author_label }: Reference): Html | string =>
  author_label === '' ? '' : html` <bdi class="author">${author_label}</bdi>`

/** Of a message that refers to nothing, and that nothing refers to. */
export const NO_REFERENCES: References = { to: [], from: [], from_count: 0 }
