// Renders the page of a search: its results with the words that were found, or how to ask.

import { isDay } from '../../../archive/format/calendar.ts'
import { dayUrl } from '../../../archive/format/paths.ts'
import type { Answering, Answers } from '../../board/answers.ts'
import { type Word, wordsOf } from '../../database/words/cut.ts'
import type { Term } from '../../database/words/engines.ts'
import { SEARCH_URL } from '../../search/api.ts'
import type { Examples, Near } from '../../search/near.ts'
import type { FoundMessage } from '../../search/queries.ts'
import type { SearchView } from '../../search/routes.ts'
import { MAX_QUERY, type Query } from '../../search/rules.ts'
import { messageUrl } from '../../wire/addresses.ts'
import { instant } from '../../wire/instant.ts'
import { listed } from '../../wire/text.ts'
import { layout, searchForm } from '../frame/layout.ts'
import { dayWithWeekday, longDate, moment, permalink } from '../parts/dates.ts'
import { type Html, html } from '../parts/html.ts'
import { filterLink, pathLinks } from '../parts/paths.ts'
import { authorOf } from '../parts/user-text.ts'
import { formatCount, quantity } from '../static/counters.ts'
import { answeredText } from './answering.ts'
import { entryLink } from './entry.ts'

export const searchPage = (view: SearchView): string =>
  layout(view, {
    title: view.text === undefined ? 'Search' : `Search: ${view.text}`,
    description: 'Find messages of the board by their words.',
    searched: view.text,
    main: html`<h1>${view.found ? html`Search for <bdi>${view.text}</bdi>` : 'Search'}</h1>
${view.fault === undefined ? '' : faultOf(view.fault)}${view.found ? results(view, view.found) : ''}${view.examples ? help(view.examples, view.text) : ''}`,
  })

/** The sentence quotes a part of the query, which might reverse the rest of it. */
const faultOf = (fault: string): Html =>
  html`<p class="fault" role="alert"><bdi>${fault.slice('q: '.length).replaceAll(/\p{Bidi_Control}/gu, '')}.</bdi></p>
`

const MEANINGS = [
  'messages with this word, or in a directory of this name',
  'with a word that begins like this',
  'in this directory and below it',
  'this word, from this day on; to: sets the last day',
]

/** How to ask, with examples that find something, and three more forms. */
const help = (examples: Examples, text?: string): Html =>
  html`<p class="lead">Find messages by their words. Every word must occur, in full.</p>
${searchForm('words', 'Words to find', text)}
<dl class="examples">
${examples.map(
  (query, i) => html`<dt><a href="${searchUrl(query)}"><code>${query}</code></a></dt>
<dd>${MEANINGS[i]}</dd>
`,
)}<dt><code>"far side of the bridge"</code></dt>
<dd>these words in this order</dd>
<dt><code>by:"mill lane"</code></dt>
<dd>under this name, which anyone can use</dd>
<dt><code>kind:question</code></dt>
<dd>questions; or observation, attempt, correction, result, use, or message for those outside of investigations</dd>
</dl>
<p>All of these can be combined. Days are UTC days.</p>
`

type FoundPage = NonNullable<SearchView['found']>

function results({ text = '', weekFrom }: SearchView, found: FoundPage): Html {
  const { rows, answers, query, isFirst, next, searchedTo, directories, near } = found
  const older = html`<a href="${searchUrl(text, next)}" rel="next">${searchedTo === null ? 'Earlier results' : 'Search further back'}</a>`
  const shown = new Set(near.map(({ of }) => of))
  // Their messages are of any day.
  const isOfDays = query.from || query.to
  const others = isOfDays ? '' : directoriesOf(directories.filter((branch) => !shown.has(branch)))
  const day =
    isDay(text) &&
    html`<p class="lead"><a href="${dayUrl(text)}">The day: ${longDate(text)}</a></p>\n`
  return html`${day}${near.length === 0 && others}${countOf(found)}${isFirst && filters(text, query, weekFrom, rows.length > 0)}
${rows.map((row) => resultOf(row, query, answers.get(row.id)))}
${near.map((one) => nearTo(one, answers))}${near.length > 0 && others}
${searchedTo === null ? '' : html`<p class="hint">Searched back to ${dayWithWeekday(instant(searchedTo).slice(0, 10))}.</p>\n`}
${next === 0n ? '' : html`<p class="pages">${older}</p>`}`
}

/** Offers all results, those of the last seven days, and those of a kind; nothing for a query of other days or kinds. */
function filters(text: string, { from, to }: Query, weekFrom: string, isFound: boolean): Html | '' {
  const ofWeek = `from:${weekFrom}`
  const parts = { 'last 7 days': ofWeek, questions: 'kind:question', results: 'kind:result' }
  const terms = text.split(/\s+/)
  const [given, another] = Object.values(parts).filter((part) => terms.includes(part))
  const all = terms.filter((term) => term !== given).join(' ')
  if (to || another || (from && given !== ofWeek) || !(given || isFound)) return ''
  // A term in quotation marks might only look like one of the parts.
  if (!all || (given && all.includes('"')) || /(?<!\S)kind:/.test(all)) return ''
  if (all.length + ofWeek.length >= MAX_QUERY) return ''
  return html`<nav class="filters" aria-label="Filters"><ul>
${filterLink(searchUrl(all), 'all', !given)}
${Object.entries(parts).map(([name, part]) => filterLink(searchUrl(`${all} ${part}`), name, given === part))}
</ul></nav>`
}

/** Says nothing where only others are shown, in place of messages with the one word of a query. */
function countOf({ rows, next, isFirst, searchedTo, query, near }: FoundPage): Html | '' {
  if (rows.length === 0) {
    if (near.length > 0 && query.words.length === 1) return ''
    const none = near.length > 0 ? 'No message has all of these words.' : 'No message was found.'
    return html`<p class="lead">${isFirst && searchedTo === null ? none : 'Nothing was found here.'}</p>`
  }
  const messages = quantity(rows.length, 'message')
  const newest = next === 0n ? messages : `The newest ${messages}`
  return html`<p class="lead">${isFirst ? newest : `${messages}, earlier ones`}${near.length > 0 && ', and more below'}</p>`
}

/** What another query finds, below what the query itself does. */
function nearTo({ text, query, rows, of, hasMore }: Near, answers: Answers): Html {
  const isOfDays = query.from !== undefined || query.to !== undefined
  const count = 'path' in of && !isOfDays ? of.here + of.below : undefined
  return html`<h2>${
    'path' in of
      ? html`In the directory ${pathLinks(of.path)}${count && `: ${quantity(count, 'message')}`}`
      : 'author' in of
        ? html`Under the name <bdi>“${of.author}”</bdi>`
        : `Words that begin with ${listed(of.map((word) => `“${word}”`))}`
  }</h2>
${rows.map((row) => resultOf(row, query, answers.get(row.id)))}
${hasMore && html`<p class="pages"><a href="${searchUrl(text)}">${count ? `All ${formatCount(count)}` : 'All of them'}</a></p>`}
`
}

const directoriesOf = (directories: FoundPage['directories']): Html | '' =>
  directories.length === 0
    ? ''
    : html`<p class="meta">
    ${directories.map(
      ({ path, here, below }) =>
        html`<span>${pathLinks(path)} ${quantity(here + below, 'message')}</span> `,
    )}
  </p>
`

function resultOf(row: FoundMessage, { words }: Query, answering: Answering | undefined): Html {
  const { title } = row
  return html`<article class="message found">
<p class="meta">
  ${permalink(row.id, moment(instant(row.publish_at)))} ${entryLink(row.id, answering)}${authorOf(row.author_label)}
  ${row.directory === null ? '' : pathLinks(row.directory)}
</p>
${title === null ? '' : html`<h2 dir="auto"><a href="${messageUrl(row.id)}">${excerptOf(title, words)}</a></h2>\n`}${answeredText(
  row,
  answering,
  (text) => html`<p class="excerpt" dir="auto">${excerptOf(text, words)}</p>`,
  title === null ? {} : { titled: answering?.entry?.investigation_id },
)}
</article>
`
}

/** Returns the address of a search. @param before the cursor of older results */
function searchUrl(query: string, before?: bigint): string {
  const cursor = before === undefined ? undefined : { before: String(before) }
  return `${SEARCH_URL}?${new URLSearchParams({ q: query, ...cursor })}`
}

/** Words shown before the first that was found, and in all. */
const WORDS_BEFORE = 8
const WORDS_SHOWN = 36
/** Of a text whose words are long or far apart [UTF-16 units]. */
const MAX_LENGTH = 320

/** Renders the part of a text around the first word that was found, or its beginning, and marks the words. */
function excerptOf(text: string, terms: readonly Term[]): (Html | string)[] {
  const words = [...wordsOf(text)]
  const found = foundIn(words, terms)
  const first = Math.max(0, (found.values().next().value ?? 0) - WORDS_BEFORE)
  const from = first === 0 ? 0 : (words[first]?.from ?? 0)
  const end = words[first + WORDS_SHOWN]?.from ?? text.length
  const to = Math.min(end, from + MAX_LENGTH)
  const shown: (Html | string)[] = from > 0 ? ['… '] : []
  let at = from
  for (const i of found) {
    const word = words[i] as Word
    if (word.from < at || word.to > to) continue
    shown.push(text.slice(at, word.from), html`<mark>${text.slice(word.from, word.to)}</mark>`)
    at = word.to
  }
  // The limit may divide a character.
  shown.push(text.slice(at, to).toWellFormed(), to < text.length ? ' …' : '')
  return shown
}

/** Returns the indexes of the words that are part of a term, ascending. */
function foundIn(words: readonly Word[], terms: readonly Term[]): Set<number> {
  const found = new Set<number>()
  for (const start of words.keys())
    for (const term of terms)
      if (isAt(words, start, term)) for (const i of term.words.keys()) found.add(start + i)
  return new Set([...found].sort((a, b) => a - b))
}

const isAt = (words: readonly Word[], start: number, { words: wanted, isPrefix }: Term): boolean =>
  wanted.every((word, i) => {
    const there = words[start + i]?.word
    return isPrefix && i === wanted.length - 1 ? there?.startsWith(word) : there === word
  })
