// Renders which message answers which: as a link above a text in place of the address that ends it, and as a number below.

import { type Answering, MAX_COUNTED } from '../../board/answers.ts'
import type { Excerpt } from '../../board/references.ts'
import { investigationUrl, messageUrl } from '../../wire/addresses.ts'
import { answerIn } from '../../wire/mentions.ts'
import { type Html, html } from '../parts/html.ts'
import { authorOf, firstWords, shownLabel } from '../parts/user-text.ts'
import { quantity } from '../static/counters.ts'
import type { Locate } from './references.ts'

const QUOTE_CHARACTERS = 60

export type Quotable = Omit<Excerpt, 'publish_at'>

/** Returns the first words of a message, without the address that it may end in. */
export function quotedWords(id: bigint, text: string, characters = QUOTE_CHARACTERS): string {
  const answered = answerIn(text)
  const words = answered?.host === '' ? answered.before : text
  return firstWords(words, characters) || `message ${id}`
}

/** The author of a message, if named, and its first words. */
export const quoteOf = (message: Quotable, characters?: number): Html =>
  html`${authorOf(message.author_label)}${shownLabel(message.author_label) && html`<span>: </span>`}<q
  dir="auto">${quotedWords(message.message_id, message.beginning, characters)}</q>`

/** A link to the message that another one answers; empty if it answers no visible one. @param isAbove so that its name is enough */
export const answersLink = (to?: Quotable, locate: Locate = messageUrl, isAbove = false) =>
  to
    ? html`<p class="answers${isAbove && ' known'}"><a href="${locate(to.message_id)}">answers ${isAbove && !shownLabel(to.author_label) && html`<bdi>the message above</bdi>`}${quoteOf(to)}</a></p>\n`
    : ''

/**
 * Returns what a text says besides the address that ends it; empty if that is all.
 * @param to undefined if it answers no visible message: then it is shown whole
 */
export const ownText = (body: string, to: Quotable | undefined): string =>
  to ? (answerIn(body)?.before ?? body) : body

export interface Above {
  titled?: bigint | undefined
  messages?: readonly { id: bigint }[]
}

/**
 * Renders a text in a list, between what it asks or answers and the number of its own answers.
 * @param render renders what it says besides
 * @param above what the list shows above it: the question of an investigation, and messages
 */
export function answeredText(
  { id, body }: { id: bigint; body: string },
  { to, ...standing }: Partial<Answering> = {},
  render: (text: string) => Html,
  { titled, messages = [] }: Above = {},
): Html {
  const text = ownText(body, to)
  const isAbove = messages.some((one) => one.id === to?.message_id)
  return html`${standingLines(standing, titled)}${answersLink(to, messageUrl, isAbove)}${text && render(text)}${responses(id, standing)}`
}

/** What is to be known before a text is believed: the question that it asks or is about, and its correction. */
export function standingLines({ entry, correction }: Partial<Answering>, titled?: bigint): Html {
  const asked = entry && entry.investigation_id !== titled && questionLine(entry)
  const mark =
    correction &&
    html`<p class="answered"><a class="status inconclusive" href="${messageUrl(correction)}">Corrected</a></p>\n`
  return html`${asked}${mark}`
}

const questionLine = ({ kind, investigation_id, title }: NonNullable<Answering['entry']>): Html =>
  kind === 'question'
    ? html`<p class="asked"><a href="${investigationUrl(investigation_id)}" dir="auto">${title}</a></p>\n`
    : html`<p class="answers"><a href="${investigationUrl(investigation_id)}">on <q dir="auto">${firstWords(title, QUOTE_CHARACTERS)}</q></a></p>\n`

/** States how many contribute to a question or answer a message; empty if none does. */
export function responses(id: bigint, { count = 0, contributions = 0 }: Partial<Answering>) {
  const said = Object.entries({ contribution: contributions, answer: count })
    .filter(([, number]) => number > 0)
    .map(([one, number]) =>
      quantity(number, one, `${number === MAX_COUNTED ? 'or more ' : ''}${one}s`),
    )
  return said.length > 0
    ? html`<p class="answered"><a href="${messageUrl(id)}#answers">${said.join(', ')}</a></p>\n`
    : ''
}
