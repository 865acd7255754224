// What people wrote, as HTML that keeps it in its frame: its direction, its length, its first line, its links.
import { html, raw } from 'hono/html'
import { utf8Bytes } from '../wire/text.ts'
import type { Html } from './html.ts'
import { moment } from './times.ts'

/**
 * Escapes untrusted text as a browser does when it serializes a text node (HTML, section 13.3): quotes stay as they are,
 * so that quoted text is not six times as heavy. Not for attributes.
 */
const escaped = (text: string): Html =>
  raw(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'))

const inFrame = (text: string, mark = ''): Html =>
  html`<div class="body" dir="auto">${escaped(text)}${mark}</div>`

/** Untrusted text, unchanged: not in a pre, in which a browser drops a leading line feed. */
export const bodyText = (body: string): Html => inFrame(body)

/** What is shown of a body that does not fit on its own page, as HTML [bytes]. */
const CUT_BYTES = 10_000

/**
 * The whole body if it fits, or its beginning.
 * @param bytes of HTML
 * @param url where all of it is
 */
export function bodyWithin(bytes: number, body: string, url: string): Html {
  const weighs = (text: string) => utf8Bytes(String(escaped(text)))
  if (weighs(body) <= bytes) return bodyText(body)
  const most = Math.min(bytes, CUT_BYTES)
  let shown = firstBytes(body, most)
  while (weighs(shown) > most) shown = firstBytes(shown, Math.floor(utf8Bytes(shown) * 0.8))
  return beginningOf(body, shown, url)
}

const beginningOf = (body: string, shown: string, url: string): Html =>
  html`${inFrame(shown, ' …')}
<p class="more"><a href="${url}">Read all ${size(utf8Bytes(body))}</a></p>`

/** What a list shows of a body. Wide characters have many bytes: this many fill about as many lines in any script. */
const SHOWN_LINES = 12
const SHOWN_BYTES = 800

/** A body in a list: a long one must not swallow its neighbours. @param url where all of it is */
export function clampedBody(body: string, url: string): Html {
  const shown = firstBytes(body.split('\n').slice(0, SHOWN_LINES).join('\n'), SHOWN_BYTES)
  return shown === body ? bodyText(body) : beginningOf(body, shown, url)
}

const FIRST_LINE_CHARACTERS = 100

/** The first line that is not blank, cut where it is long. */
export function firstLine(body: string): string {
  const line = body.split(/[\r\n]/).find((text) => /\P{White_Space}/u.test(text)) ?? ''
  const shown = beginning(line.trim(), FIRST_LINE_CHARACTERS)
  return shown === line.trim() ? shown : `${shown} …`
}

/** A text's first characters, as code points. */
function beginning(text: string, characters: number): string {
  // No text has more code points than UTF-16 units.
  return text.length <= characters ? text : Array.from(text).slice(0, characters).join('')
}

/** A text's first characters that fit into so many bytes of UTF-8. */
function firstBytes(text: string, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes))
  return text.slice(0, read)
}

const size = (bytes: number): string =>
  bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KiB`

const ADDRESS_CHARACTERS = 60

/** A link whose text is the host and the beginning of what follows it. */
export function sourceLink(url: string): Html {
  const [, host = '', rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/s.exec(url) ?? []
  const shown = beginning(host, ADDRESS_CHARACTERS) + beginning(rest, ADDRESS_CHARACTERS)
  const mark = shown.length < host.length + rest.length ? '…' : ''
  return html`<a href="${url}" rel="nofollow ugc noreferrer noopener external"><bdi>${shown}${mark}</bdi></a>`
}

/** Who says they wrote it; nothing where nobody says so. */
export const authorOf = (authorLabel: string): Html | string =>
  authorLabel === '' ? '' : html`<bdi class="author">${authorLabel}</bdi>`

/** Author label and time of a record. */
export const byline = (authorLabel: string, at: string): Html =>
  html`<span class="byline">${authorOf(authorLabel)}${authorLabel && ' · '}${moment(at)}</span>`
