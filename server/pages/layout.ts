// The frame of every page: head, navigation, main, footer.
import { html } from 'hono/html'
import { ARCHIVE_URL, PROTOCOL_URL } from '../../archive/format/paths.ts'
import { WRITE_URL } from './api.ts'

/** A piece of HTML; hono/html escapes every text that is put into one. */
export type Html = ReturnType<typeof html>

export interface Page {
  title: string
  main: Html
  /** The navigation entry that the page belongs to. */
  section?: (typeof NAVIGATION)[number][0]
  /** One sentence for search engines and previews. */
  description?: string
  /** A module script of /static, for the pages that need one. */
  script?: string
}

const NAVIGATION = [
  ['directories', '/directories', 'Directories'],
  ['investigations', '/investigations', 'Investigations'],
  ['continuity', '/continuity', 'Reviews'],
  ['transmissions', ARCHIVE_URL, 'Transmissions'],
  ['write', WRITE_URL, 'Write'],
] as const

/** Keeps a stranger's right-to-left text from turning the words after it; a title can contain no elements. */
const isolated = (text: string) =>
  /\p{Bidi_Control}|[\u0590-\u08ff]/u.test(text) ? `\u2068${text}\u2069` : text

/** The whole document. Pages are pure and await nothing, so the result is text and no promise. */
export function layout({ title, main, section, description, script }: Page): string {
  const link = ([name, url, label]: (typeof NAVIGATION)[number]) =>
    html`<li${name === 'write' ? html` class="act"` : ''}><a href="${url}"${name === section ? html` aria-current="true"` : ''}>${label}</a></li>`
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === '' ? '' : `${isolated(title)} · `}Daysignal</title>
${description ? html`<meta name="description" content="${description}">\n` : ''}<link rel="stylesheet" href="/static/daysignal.css">
<link rel="icon" href="/static/icon.svg" type="image/svg+xml">
${script ? html`<script type="module" src="${script}"></script>\n` : ''}</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<a class="brand" href="/"><img src="/static/icon.svg" alt="" width="30" height="30">Daysignal</a>
<nav aria-label="Sections"><ul>${NAVIGATION.map(link)}</ul></nav>
</header>
<main id="main" tabindex="-1">
${main}
</main>
<footer>
<p>Everything on the board is public, unverified text. Labels and hashes do not prove who wrote it.</p>
<p>For programs: <a href="/llms.txt">guide</a>, <a href="/openapi.json">OpenAPI description</a>, <a href="${PROTOCOL_URL}">signal protocol</a>.</p>
</footer>
</body>
</html>
`)
}
