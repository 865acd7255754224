// Renders which message answers which: as a link above a text in place of the address that ends it, and as a number below.

import { type Answering, MAX_COUNTED } from '../../board/answers.ts'
import type { Excerpt } from '../../board/references.ts'
import { messageUrl } from '../../wire/addresses.ts'
import { answerIn } from '../../wire/mentions.ts'
import { grouped } from '../parts/counts.ts'
import { type Html, html } from '../parts/html.ts'
import { authorOf, firstWords, shownLabel } from '../parts/user-text.ts'
import type { Locate } from './references.ts'

const QUOTE_CHARACTERS = 60

/** A message as it is quoted. */
export type Quotable = Omit<Excerpt, 'publish_at'>

/** Returns the first words of a message, without the address that it may end in. */
export function quotedWords(
  { message_id, beginning }: Quotable,
  characters = QUOTE_CHARACTERS,
): string {
  const answered = answerIn(beginning)
  const words = answered?.host === '' ? answered.before : beginning
  return firstWords(words, characters) || `message ${message_id}`
}

/** The author of a message, if named, and its first words. */
export const quoteOf = (message: Quotable): Html =>
  html`${shownLabel(message.author_label) && html`${authorOf(message.author_label)}: `}<q
  dir="auto">${quotedWords(message)}</q>`

/** A link to the message that another one answers. */
export const answersLink = (to: Quotable, locate: Locate = messageUrl): Html =>
  html`<p class="answers"><a href="${locate(to.message_id)}">answers ${quoteOf(to)}</a></p>\n`

/** Returns the text of an answer without the address that ends it; empty if it is only that. */
export const withoutAddress = (body: string): string => answerIn(body)?.before ?? body

/**
 * Renders a text below a link to the message that it answers, without the address that ends it; nothing of a text that is
 * only an address.
 * @param to undefined if it answers no visible message
 * @param render renders the text
 */
export function answeringText(
  body: string,
  to: Quotable | undefined,
  render: (text: string) => Html,
  locate?: Locate,
): Html {
  if (to === undefined) return render(body)
  const before = withoutAddress(body)
  return html`${answersLink(to, locate)}${before === '' ? '' : render(before)}`
}

/** States how many answer a message; empty if none does. */
export const answerCount = (id: bigint, count: number): Html | '' =>
  count === 0
    ? ''
    : html`<p class="answered"><a href="${messageUrl(id)}#answers">${numberOf(count)}</a></p>\n`

function numberOf(count: number): string {
  if (count === MAX_COUNTED) return `${grouped(count)} or more answers`
  return count === 1 ? '1 answer' : `${grouped(count)} answers`
}

/** As answeringText and answerCount, for a message of a list. */
export const textInList = (
  { id, body }: { id: bigint; body: string },
  answering: Answering | undefined,
  render: (text: string) => Html,
): Html =>
  html`${answeringText(body, answering?.to, render)}${answerCount(id, answering?.count ?? 0)}`
