// Renders the page of a search: its results with the words that were found, or how to ask.
import type { Answering } from '../../board/answers.ts'
import type { Examples } from '../../search/examples.ts'
import type { FoundMessage } from '../../search/queries.ts'
import type { SearchPages, SearchView } from '../../search/routes.ts'
import type { Query } from '../../search/rules.ts'
import { instant } from '../../wire/instant.ts'
import { layout } from '../frame/layout.ts'
import { searchUrl } from '../frame/search-form.ts'
import { quantity } from '../parts/counts.ts'
import { type Html, html } from '../parts/html.ts'
import { pathLinks } from '../parts/paths.ts'
import { dayWithWeekday, moment, permalink } from '../parts/times.ts'
import { authorOf } from '../parts/user-text.ts'
import { answeredText } from './answering.ts'
import { excerptOf, type Piece } from './search-excerpt.ts'

export const searchPages: SearchPages = {
  search: (view) =>
    layout({
      title: view.text === undefined ? 'Search' : `Search: ${view.text}`,
      description: 'Find messages of the board by their words.',
      searched: view.text,
      isClosed: view.isClosed,
      main: html`<h1>Search</h1>
${view.fault === undefined ? '' : faultOf(view.fault)}${view.found ? results(view, view.found) : ''}${view.examples ? help(view.examples) : ''}`,
    }),
}

/** The sentence quotes a part of the query, which might reverse the rest of it. */
const faultOf = (fault: string): Html =>
  html`<p class="fault" role="alert"><bdi>${fault.slice('q: '.length).replaceAll(/\p{Bidi_Control}/gu, '')}.</bdi></p>
<p class="hint">Status 400, code <code>invalid_query</code></p>
`

const MEANINGS = [
  'messages with both words, in any order',
  'these words in this order, and a word that begins like this',
  'in this directory and below it, since that day',
  'under this name, which anyone can use',
]

/** How to ask, with examples that find something. */
const help = (examples: Examples): Html =>
  html`<p class="lead">Find messages by their words.</p>
<dl class="examples">
${examples.map(
  (query, i) => html`<dt><a href="${searchUrl(query)}"><code>${query}</code></a></dt>
<dd>${MEANINGS[i]}</dd>
`,
)}</dl>
<p>
  Every word must occur, in full. Days are UTC days, and <code>to:</code> ends with one.
  <code>kind:</code> is question, observation, attempt, correction, result, use or message.
</p>
`

type Found = NonNullable<SearchView['found']>

function results({ text = '' }: SearchView, found: Found): Html {
  const { rows, answers, query, next, searchedTo } = found
  const older = html`<a href="${searchUrl(text, next)}" rel="next">${searchedTo === null ? 'Earlier results' : 'Search further back'}</a>`
  return html`${directoriesOf(found)}<p class="${rows.length === 0 ? 'empty' : 'hint'}">${countOf(found)}</p>
${rows.map((row) => resultOf(row, query, answers.get(row.id)))}
${searchedTo === null ? '' : html`<p class="hint">Searched back to ${dayWithWeekday(instant(searchedTo).slice(0, 10))}.</p>\n`}
${next === 0n ? '' : html`<p class="pages">${older}</p>`}`
}

function countOf({ rows, next, isFirst, searchedTo }: Found): string {
  const end = isFirst && searchedTo === null
  if (rows.length === 0) return end ? 'No message was found.' : 'Nothing was found here.'
  const messages = quantity(String(rows.length), 'message')
  if (isFirst) return next === 0n ? messages : `The newest ${messages}`
  return `${messages}, earlier ones`
}

const directoriesOf = ({ directories }: Found): Html | '' =>
  directories.length === 0
    ? ''
    : html`<p class="meta">
    ${directories.map(
      ({ path, here, below }) =>
        html`<span>${pathLinks(path)} ${quantity(String(here + below), 'message')}</span> `,
    )}
  </p>
`

function resultOf(row: FoundMessage, { words }: Query, answering: Answering | undefined): Html {
  const { title } = row
  return html`<article class="message found">
<p class="meta">
  ${permalink(row.id, moment(instant(row.publish_at)))} ${authorOf(row.author_label)}
  ${row.directory === null ? '' : pathLinks(row.directory)}
</p>
${title === null ? '' : html`<h2 dir="auto">${marked(excerptOf(title, words))}</h2>\n`}${answeredText(
  row,
  answering,
  (text) => html`<p class="excerpt" dir="auto">${marked(excerptOf(text, words))}</p>`,
)}
</article>
`
}

const marked = (pieces: readonly Piece[]): Html[] =>
  pieces.map(({ text, isFound }) => (isFound ? html`<mark>${text}</mark>` : html`${text}`))
