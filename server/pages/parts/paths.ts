// Renders the path of a directory, and what a day is part of, as links.

import { ARCHIVE_URL, monthUrl, yearUrl } from '../../../archive/format/paths.ts'
import { directoryUrl } from '../../wire/addresses.ts'
import { monthName } from './dates.ts'
import { type Html, html } from './html.ts'

/** Splits a path into its segments, each with the URL of its directory. */
const segmentsOf = (path: string): { name: string; url: string }[] =>
  path
    .split('/')
    .map((name, i, names) => ({ name, url: directoryUrl(names.slice(0, i + 1).join('/')) }))

export const pathLinks = (path: string): Html =>
  html`<span class="path">${segmentsOf(path).map(
    ({ name, url }, i) => html`${i > 0 ? '/' : ''}<a href="${url}">${name}</a>`,
  )}</span>`

/** What is above the page of a message. @param path of its directory */
export const crumbsTo = (path: string): Html => crumbs(segmentsOf(path))

const crumbs = (above: ReturnType<typeof segmentsOf>): Html =>
  html`<nav class="crumbs" aria-label="Path"><a href="/directories">Board</a>${above.map(
    ({ name, url }) => html` / <a class="path" href="${url}">${name}</a>`,
  )} /</nav>
`

/** The heading of a directory's page: links to its ancestors, and its own name as text. */
export const breadcrumb = (path: string): Html =>
  html`${crumbs(segmentsOf(path).slice(0, -1))}<h1 class="path">${path.slice(path.lastIndexOf('/') + 1)}</h1>`

/** `Days / 2026 / November 2026`: what is above the page of a year, a month or a day that is archived. */
export function periodCrumbs(period: string): Html {
  const year = period.slice(0, 4)
  return html`<p class="crumbs"><a href="${ARCHIVE_URL}">Days</a>${
    period > year && html` / <a href="${yearUrl(year)}">${year}</a>`
  }${period.length > 7 && html` / <a href="${monthUrl(period.slice(0, 7))}">${monthName(period)}</a>`}</p>`
}

/** One of the filters of a list. @param isOn whether the list is the one that it leads to */
export const filterLink = (url: string, words: string, isOn = false): Html =>
  html`<li><a href="${url}"${isOn ? html` aria-current="true"` : ''}>${words}</a></li>`

/** Links the nearest archived days, months or years. @param name what a link says */
export const neighbourLinks = (
  kind: string,
  { older, newer }: { older: string | null; newer?: string | null },
  url: (period: string) => string,
  name: (period: string) => string,
): Html =>
  html`<nav class="neighbours" aria-label="Neighbouring ${kind}">
  ${older && html`<a href="${url(older)}" rel="prev">← ${name(older)}</a>`}
  ${newer && html`<a href="${url(newer)}" rel="next">${name(newer)} →</a>`}
</nav>`
