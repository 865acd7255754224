// Renders the headline of a day: what was written, or else what the day was (API.md 9.19).
import { dayUrl } from '../../../archive/format/paths.ts'
import type { Reason, Snapshot } from '../../../archive/format/snapshot.ts'
import type { Headline } from '../../sections/headlines.ts'
import { investigationUrl, messageUrl } from '../../wire/addresses.ts'
import { listed } from '../../wire/text.ts'
import { quotedWords, standingLines } from '../board/answering.ts'
import { outcomeMark } from '../board/entry.ts'
import { clockTime, shortDate } from '../parts/dates.ts'
import { type Html, html } from '../parts/html.ts'
import { firstWords } from '../parts/user-text.ts'
import { formatCount, quantity } from '../static/counters.ts'
import { conclusionSentence } from './coverage.ts'

/** Of a question, of a text, and of a claim that is reviewed [code points]. */
const TITLE = 90
const WORDS = 90
const CLAIM = 160
const PATH = 40

/** `40 messages in river`, then `15 in river/gauges`. */
const inDirectory = ({ path, count }: { path: string; count: number }, i: number): string =>
  `${i === 0 ? quantity(count, 'message') : formatCount(count)} in ${firstWords(path, PATH)}`

/** What is visible of a day in one line of plain text. @param snapshot of an archived day */
export const headlineText = (
  headline: Headline | undefined,
  snapshot: Snapshot | undefined,
): string => `${headlineTitle(headline, snapshot)} ${found(headline)}`.trimEnd()

const claimOf = (result: Headline & { kind: 'result' | 'question' }): string =>
  `“${wordsOf(result, result.outcome ? CLAIM : WORDS)}”`

/** The first words of a result, whether it was corrected, and the outcome of its review. */
const found = (headline: Headline | undefined): string =>
  headline?.kind === 'result'
    ? `${claimOf(headline)}${headline.correction ? ' Corrected since.' : ''}${headline.outcome && ` Reviewed: ${headline.outcome}`}`
    : ''

/** What was found, below a question that is a heading. */
export const foundLine = (headline: Headline | undefined): Html | false =>
  headline?.kind === 'result' &&
  html`<p dir="auto">${claimOf(headline)}</p>
${standingLines(headline)}${
  headline.outcome &&
  html`<p class="meta"><a href="${messageUrl(headline.id)}">Reviewed ${outcomeMark(headline.outcome)}</a></p>
${headline.reason && html`<p class="hint" dir="auto">${firstWords(headline.reason, CLAIM)}</p>\n`}`
}`

/** The headline without what was found. */
export function headlineTitle(
  headline: Headline | undefined,
  snapshot: Snapshot | undefined,
): string {
  if (headline === undefined) return snapshot ? dayWas(snapshot) : 'Nothing yet'
  switch (headline.kind) {
    case 'result':
    case 'question':
      return firstWords(headline.title, TITLE)
    case 'message':
      return `“${wordsOf(headline)}”`
    case 'directories':
      return listed(headline.busiest.map(inDirectory))
  }
}

/** What was found, and the words of a headline's lines, each with its id. */
export const linesQuoted = (headline: Headline | undefined): { id: bigint; quote: string }[] => [
  ...(headline?.kind === 'result' ? [{ id: headline.id, quote: found(headline) }] : []),
  ...(headline?.lines.map((message) => ({ id: message.id, quote: `“${wordsOf(message)}”` })) ?? []),
]

/** The first words, up to the end of a sentence if one ends among them: half a claim may say something else. */
function wordsOf({ id, beginning }: { id: bigint; beginning: string }, length = WORDS): string {
  const words = quotedWords(id, beginning, length)
  return (words.endsWith(' …') && /^.{20,}[.?!।。？！](?=\s)/u.exec(words)?.[0]) || words
}

/** Ends a headline with a full stop, unless it ends in one or in another mark. */
export const asSentence = (text: string): string =>
  /[.?!…।。？！]”?$/u.test(text) ? text : `${text}.`

/** What a day without visible words was. */
function dayWas(snapshot: Snapshot): string {
  const down = snapshot.coverage.reasons.filter(({ code }) => code === 'service_not_running')
  const [longest] = down.sort((a, b) => lengthOf(b) - lengthOf(a))
  if (snapshot.coverage.status === 'none') return 'The service was down all day'
  if (longest)
    return `The service was down from ${clockTime(longest.from)} to ${clockTime(longest.to, snapshot.to)}`
  return snapshot.counters.messages === '0' ? 'A quiet day' : conclusionSentence(snapshot)
}

const lengthOf = ({ from, to }: Reason): number => Date.parse(to) - Date.parse(from)

/** A headline that leads to its day. */
export const headlineLink = (day: string, text: Html | string): Html =>
  html`<a class="headline" href="${dayUrl(day)}" dir="auto">${text}</a>`

/** The headline of a day in a list of days, after its date. @param chord of the day */
export const headlineRow = (
  told: Headline | undefined,
  snapshot: Snapshot,
  chord: Html | '' = '',
): Html =>
  html`<li><span class="figures">${shortDate(snapshot.day)}</span> ${chord}${headlineLink(snapshot.day, html`${told?.kind === 'question' && html`<span dir="ltr">Asked: </span>`}${headlineTitle(told, snapshot)}${told?.kind === 'result' && html` <span class="hint">${claimOf(told)}</span> ${told.correction && html`<span class="reviewed">Corrected since.</span> `}${told.outcome && html`<span class="reviewed">Reviewed ${outcomeMark(told.outcome)}</span>`}`}`)}</li>\n`

/** The investigation whose question is the headline. */
export const investigationOf = (headline: Headline | undefined): bigint | undefined =>
  headline && 'investigation' in headline ? headline.investigation : undefined

/** Leads from a headline to what it quotes, if that is one record. */
export function quotedLink(headline: Headline | undefined): Html | '' {
  if (headline === undefined || headline.kind === 'directories') return ''
  return headline.kind === 'message'
    ? html`<a href="${messageUrl(headline.id)}">Read it, with its answers</a>`
    : html`<a href="${investigationUrl(headline.investigation)}">Open the question</a>`
}

/** How headlines are found, for the pages that show them. */
export const HEADLINE_RULE = html`<details>
<summary>How the headline is chosen</summary>
<p class="hint">
  The headline of a day is its newest result, with its review, or question; else its message that was
  answered or mentioned most by the end of the next day; else its busiest directories. It shows what is
  visible now, and is no part of the archive. The page of a day opens with what its headline quotes, and
  with what that got on the same day.
</p>
</details>`
