// Renders the layout of every page: head with metadata for search engines and link previews, navigation, main, footer.

import {
  ARCHIVE_FEED_URL,
  ARCHIVE_URL,
  LISTEN_URL,
  PODCAST_URL,
  PROTOCOL_URL,
} from '../../../archive/format/paths.ts'
import { MODERATION_URL } from '../../moderation/api.ts'
import { SEARCH_URL } from '../../search/api.ts'
import { MAX_QUERY } from '../../search/rules.ts'
import type { ServedManifest } from '../../transmissions/views.ts'
import { FEED_URL, FOLLOW_URL, GUIDE_URL, HOW_URL, OPERATIONS_URL, WRITE_URL } from '../api.ts'
import { type Html, html } from '../parts/html.ts'
import { firstWords, TITLE_CHARACTERS } from '../parts/user-text.ts'
import { ICON_FILE, MARK } from './brand.ts'
import { type ScriptName, scriptUrl } from './scripts.ts'
import { type SheetName, styleSheetUrl } from './stylesheet.ts'

/** What every page needs to know of the service. */
export interface Site {
  /** Without a trailing slash, and without characters that are special to a shell. Needed by a page with a `path`. */
  baseUrl?: string
  /** Whether publishing messages is currently off. */
  isClosed: boolean
}

/** Where a page is, for those who link to it. */
interface Sharing {
  /** A sentence for search engines and link previews; undefined for a page that reports an error. */
  description?: string
  /** The canonical path, without a query. */
  path?: string
  /** The path of the same content as JSON. */
  json?: string
  /** For link previews. */
  image?: { path: string; width: number; height: number; alt: string } | null
  video?: { path: string; width: number; height: number } | null
}

export interface Page extends Sharing {
  title: string
  main: Html
  /** The navigation entry that the page belongs to. */
  section?: (typeof NAVIGATION)[number][0] | 'write'
  /** The feed of this page, in addition to those of the whole service. */
  feed?: { path: string; title: string }
  /** By default `days` for the section of days and the front page, else `board`. */
  sheet?: SheetName
  script?: ScriptName | undefined
  /** The query with which the field of the search is filled. */
  searched?: string | undefined
}

const NAVIGATION = [
  ['directories', '/directories', 'Board'],
  ['investigations', '/investigations', 'Investigations'],
  ['continuity', '/continuity', 'Reviews'],
  ['transmissions', ARCHIVE_URL, 'Days'],
  ['listen', LISTEN_URL, 'Receive'],
] as const

const navigation = (section?: Page['section']): Html => {
  const entries = NAVIGATION.map(
    ([name, url, label]) =>
      html`<li><a href="${url}"${name === section ? CURRENT : ''}>${label}</a></li>`,
  )
  return html`<a class="brand" href="/">${MARK}Daysignal</a>
<nav aria-label="Sections"><ul>${entries}</ul></nav>`
}

const CURRENT = html` aria-current="true"`

const NAVIGATIONS = new Map(NAVIGATION.map(([name]) => [name as Page['section'], navigation(name)]))

/** Keeps right-to-left user text from reordering what follows it. A title element cannot contain a bdi. */
const isolated = (text: string) =>
  /\p{Bidi_Control}|[\u0590-\u08ff]/u.test(text) ? `\u2068${text}\u2069` : text

/** Renders the document. No part of a page is a promise, so hono/html returns text synchronously. */
export const layout = ({ baseUrl = '', isClosed }: Site, page: Page): string =>
  String(html`<!doctype html>
<html lang="en">
${head(baseUrl, page)}
<body>
<a class="skip" href="#main">Skip to content</a>
${header(page, isClosed)}
<main id="main" tabindex="-1">
${page.main}
</main>
<footer>
${FOOT}${KEEPING.includes(page.script) && VISIT_NOTICE}</footer>
</body>
</html>
`)

/** What is the same on all pages is rendered once. */
const FOOT = html`<p>Everything on the board is public, unverified text. Labels and hashes do not prove who wrote it. All times are UTC.</p>
<p class="links">
  <a href="${HOW_URL}">How it works</a>
  <a href="${FOLLOW_URL}">Follow</a>
  <a href="${GUIDE_URL}">Guide</a>
  <a href="${OPERATIONS_URL}">API</a>
  <a href="${PROTOCOL_URL}">Signal protocol</a>
  <a href="${MODERATION_URL}">Record of moderation</a>
</p>
`

/** What since.ts keeps, said where it moves nothing when the script arrives. */
const VISIT_NOTICE = html`<p class="kept-visit">To mark what is new, this browser remembers your last visit. Nothing is sent. <button type="button">Forget it</button></p>
`

const KEEPING: readonly (ScriptName | undefined)[] = ['enhance-page', 'day-page', 'write-form']

/** Whether a page belongs to the section of days or is the front page, which shows days too. */
const isOfDays = ({ section, title }: Page): boolean => section === 'transmissions' || title === ''

function head(baseUrl: string, page: Page): Html {
  const { title, description, feed, script } = page
  const name = isolated(firstWords(title, TITLE_CHARACTERS)) || 'Daysignal'
  return html`<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === '' ? '' : `${isolated(title)} · `}Daysignal</title>
<link rel="stylesheet" href="${styleSheetUrl(page.sheet ?? (isOfDays(page) ? 'days' : 'board'))}">
${LINKS}${isOfDays(page) && PODCAST_LINK}${
  feed &&
  html`<link rel="alternate" type="application/atom+xml" title="${feed.title}" href="${feed.path}">\n`
}${page.path && addressElements(baseUrl, page)}${
  description && previewElements(name, baseUrl, page)
}${script && html`<script type="module" src="${scriptUrl(script)}"></script>\n`}</head>`
}

/** The picture of a day, if there are both. */
export function pictureOf(
  manifest: ServedManifest | null | undefined,
): NonNullable<Sharing['image']> | null {
  if (!manifest?.media.png.available) return null
  const { url, width, height } = manifest.media.png
  const alt = `${manifest.day} as a chord of twelve counters and 273 tones`
  return { path: url, width, height, alt }
}

/** @param baseUrl without a trailing slash; canonical addresses and Open Graph are absolute */
const addressElements = (baseUrl: string, { path, json }: Sharing): Html =>
  html`<link rel="canonical" href="${baseUrl}${path}">
${json && html`<link rel="alternate" type="application/json" href="${json}">\n`}`

/** The description for search engines, the properties of the Open Graph protocol, and the kind of card for X. */
function previewElements(title: string, baseUrl: string, sharing: Sharing): Html {
  const { description, path, image, video } = sharing
  const properties = {
    title,
    site_name: 'Daysignal',
    type: path === undefined || path === '/' ? 'website' : 'article',
    ...(path && { url: baseUrl + path }),
    ...(image && {
      image: baseUrl + image.path,
      'image:width': String(image.width),
      'image:height': String(image.height),
      'image:alt': image.alt,
    }),
    ...(video && {
      video: baseUrl + video.path,
      'video:type': 'video/mp4',
      'video:width': String(video.width),
      'video:height': String(video.height),
    }),
  }
  return html`<meta name="description" property="og:description" content="${description}">
${Object.entries(properties).map(
  ([name, content]) => html`<meta property="og:${name}" content="${content}">\n`,
)}<meta name="twitter:card" content="${image ? 'summary_large_image' : 'summary'}">
`
}

const LINKS = html`<link rel="icon" href="${ICON_FILE.path}" type="image/svg+xml">
<link rel="alternate" type="application/atom+xml" title="Messages" href="${FEED_URL}">
<link rel="alternate" type="application/atom+xml" title="Transmissions" href="${ARCHIVE_FEED_URL}">
`

const PODCAST_LINK = html`<link rel="alternate" type="application/rss+xml" title="Podcast" href="${PODCAST_URL}">\n`

function header({ section, searched }: Page, isClosed: boolean): Html {
  const write = isClosed
    ? html`<span class="closed">Writing is closed</span>`
    : html`<a class="act" href="${WRITE_URL}"${section === 'write' ? CURRENT : ''}>Write</a>`
  return html`<header>
${NAVIGATIONS.get(section) ?? navigation()}
${write}${searchForm('search-field', 'Search the board', searched)}
</header>`
}

/** @param id of its field @param label of both: a page may have two */
export const searchForm = (id: string, label: string, searched = ''): Html =>
  html`<form class="search" role="search" aria-label="${label}" action="${SEARCH_URL}">
<label for="${id}" class="unseen">${label}</label>
<input id="${id}" type="search" name="q" value="${searched}" placeholder="Search" required maxlength="${MAX_QUERY}" autocapitalize="none" spellcheck="false">
<button><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M11 6.5a4.5 4.5 0 1 1-9 0a4.5 4.5 0 1 1 9 0M10 10l4.5 4.5"></path></svg><span class="unseen">Search</span></button></form>`

/** The notice that publishing is off. @param closed the reason as a sentence; null if it is on */
export const closedNotice = (closed: string | null): Html | string =>
  closed === null
    ? ''
    : html`<p class="notice" role="note">${closed} Reading still works. <a href="${MODERATION_URL}">Record of moderation</a></p>`
