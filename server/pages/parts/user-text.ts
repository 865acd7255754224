// Renders user text safely: escaped, with its own direction, cut where it is long, and as a link to a source.

import { isNotBlank, utf8Bytes } from '../../wire/text.ts'
import { type Html, html, raw } from './html.ts'

/**
 * Escapes untrusted text as the HTML serializer escapes a text node (HTML, section 13.3). Unlike hono/html it leaves
 * quotes, which would grow up to sixfold. Not for attribute values.
 */
const escaped = (text: string): Html => raw(escapedText(text))

/** Most texts need no escape, and one search tells. */
const escapedText = (text: string): string =>
  /[&<>]/.test(text)
    ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    : text

const bodyElement = (text: string, mark = '', className = 'body'): Html =>
  html`<div class="${className}" dir="auto">${escaped(text)}${mark}</div>`

/** Renders untrusted text verbatim. Not in a pre element, where a browser drops a leading line feed. */
export const bodyText = (body: string): Html => bodyElement(body)

/** Limit for the beginning of a body that does not fit on its own page [bytes of HTML]. */
const CUT_BYTES = 6_000

/**
 * Renders a body if it fits, or else its beginning.
 * @param bytes the limit for its HTML
 * @param url the URL of the whole text
 */
export function bodyWithin(bytes: number, body: string, url: string): Html {
  if (htmlBytes(body) <= bytes) return bodyText(body)
  return beginningOf(body, firstBytesAsHtml(body, Math.min(bytes, CUT_BYTES)), url)
}

const htmlBytes = (text: string): number => utf8Bytes(escapedText(text))

/** Returns the beginning of a text whose HTML has at most so many bytes. */
function firstBytesAsHtml(text: string, bytes: number): string {
  let shown = firstBytes(text, bytes)
  while (htmlBytes(shown) > bytes) shown = firstBytes(shown, Math.floor(utf8Bytes(shown) * 0.8))
  return shown
}

const beginningOf = (body: string, shown: string, url: string, className?: string): Html =>
  html`${bodyElement(shown, ' …', className)}
<p class="more"><a href="${url}">Read all ${size(utf8Bytes(body))}</a></p>`

/**
 * The part of a body that a list shows. Wide characters have more bytes, so a limit in bytes suits every script: prose takes
 * about as many lines on a phone, and the style sheet cuts what takes more.
 */
const SHOWN_LINES = 12
const SHOWN_BYTES = 540
/** Limit for that part as HTML: only text that is mostly markup exceeds it. */
const SHOWN_HTML_BYTES = 1_500

const CLAMPED = 'body clamped'

/** Renders a body in a list, where a long one is cut. @param url the URL of the whole text */
export function clampedBody(body: string, url: string): Html {
  const text = withFewerBlankLines(body)
  const lines = text.split('\n', SHOWN_LINES).join('\n')
  const shown = firstBytesAsHtml(firstBytes(lines, SHOWN_BYTES), SHOWN_HTML_BYTES)
  return shown === text ? bodyElement(text, '', CLAMPED) : beginningOf(body, shown, url, CLAMPED)
}

/** Shortens several blank lines in a row to one, as lists show them. */
export const withFewerBlankLines = (text: string): string => text.replaceAll(/\n\s*\n/g, '\n\n')

const FIRST_LINE_CHARACTERS = 100

/** Returns the first line that is not blank, cut if it is long. */
export function firstLine(body: string): string {
  return firstWords(body.split(/[\r\n]/).find(isNotBlank) ?? '', FIRST_LINE_CHARACTERS)
}

/** Longest text of a user in a page's title and in its description, without the mark of a cut [code points]. */
export const TITLE_CHARACTERS = 60
export const DESCRIPTION_CHARACTERS = 200

/** White space and control characters, but for a space between words, of which a text has many. */
const NO_SINGLE_SPACE = /[\p{White_Space}\p{Cc}]{2,}|[^ \P{White_Space}]|\p{Cc}/gu

/**
 * Returns the first words of a text in one line, for titles and link previews; empty if it is only white space.
 * @param characters the most code points, without the mark of a cut
 */
export function firstWords(text: string, characters: number): string {
  // Four times as much holds enough words even where most of it is white space.
  const line = beginning(text, 4 * characters)
    .replaceAll(NO_SINGLE_SPACE, ' ')
    .trim()
  const shown = beginning(line, characters)
  if (line === '' || (shown === line && text.length <= 4 * characters)) return line
  const end = shown.lastIndexOf(' ')
  return `${end === -1 ? shown : shown.slice(0, end)} …`
}

/** Returns the first characters (code points) of a text. */
export function beginning(text: string, characters: number): string {
  if (text.length <= characters) return text
  let end = 0
  for (let count = 0; count < characters && end < text.length; count++)
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  return text.slice(0, end)
}

/** Returns as many of a text's first characters as fit into `bytes` of UTF-8. */
function firstBytes(text: string, bytes: number): string {
  if (utf8Bytes(text) <= bytes) return text
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes))
  return text.slice(0, read)
}

const size = (bytes: number): string =>
  bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KiB`

const ADDRESS_CHARACTERS = 60

/** Links a source; the text is the host and the beginning of the rest of its URL. */
export function sourceLink(url: string): Html {
  const [, host = '', rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/s.exec(url) ?? []
  const shown = beginning(host, ADDRESS_CHARACTERS) + beginning(rest, ADDRESS_CHARACTERS)
  const mark = shown.length < host.length + rest.length ? '…' : ''
  return html`<a href="${url}" rel="nofollow ugc noreferrer noopener external"><bdi>${shown}${mark}</bdi></a>`
}

/** Returns an author label, or an empty string if it is only white space. */
export const shownLabel = (authorLabel: string): string =>
  isNotBlank(authorLabel) ? authorLabel : ''

/** Renders an author label between two texts; empty if there is none or only white space. */
export const authorOf = (authorLabel: string, before = '', after = ''): Html | '' =>
  shownLabel(authorLabel) && html`${before}<bdi class="author">${authorLabel}</bdi>${after}`
