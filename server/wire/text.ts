// The text rules of requests (API.md 1.6), as zod schemas, and what sentences about them share.
import { z } from 'zod'
import type { ErrorCode } from './problem.ts'

/** Maximum size of a message's body in UTF-8. */
export const MAX_BODY_BYTES = 16_384

/** Parameters of a zod issue that returns its own code instead of invalid_request. */
export const answersWith = (code: ErrorCode) => ({ code })

/** Maximum length of an author's label [code points]. */
export const MAX_LABEL = 80

/** Maximum size of an operator's reason in UTF-8. */
export const MAX_REASON_BYTES = 500

/** Counts Unicode code points, which every limit calls "characters". */
export const characters = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}

/** `a, b and c` */
export function listed(parts: Iterable<string>): string {
  list ??= new Intl.ListFormat('en-GB')
  return list.format(parts)
}

/** Made when it is needed: that takes 3 ms. */
let list: Intl.ListFormat | undefined

export const utf8Bytes = (text: string): number => Buffer.byteLength(text, 'utf8')

/** In one line: C0 and C1 controls, line and paragraph separators, and two noncharacters. */
const FORBIDDEN_IN_LINE = /[\p{Cc}\u2028\u2029\ufffe\uffff]/u
/** In a text of several lines: controls other than tab, LF and CR, and the same noncharacters. */
const FORBIDDEN_IN_TEXT = /(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/u
const NOT_WHITE_SPACE = /\P{White_Space}/u

const isLine = (text: string) => text.isWellFormed() && !FORBIDDEN_IN_LINE.test(text)
const isText = (text: string) => text.isWellFormed() && !FORBIDDEN_IN_TEXT.test(text)
export const isNotBlank = (text: string) => NOT_WHITE_SPACE.test(text)

const LINE_RULE = 'must be one line of well-formed text without control characters'
const TEXT_RULE = 'must be well-formed text without control characters other than tab, LF and CR'
const BLANK_RULE = 'must contain a character that is not white space'

interface TextLimits {
  /** One line, or any number. */
  lines: 'one' | 'many'
  /** Unicode code points. */
  max: number
  /** UTF-8 bytes; by default, as many as `max` characters can take. */
  maxBytes?: number
  /** Whether it may be empty or only white space. */
  mayBeBlank: boolean
}

/** Schema of a text within limits; the first broken rule is reported. */
export const textWithin = ({ lines, max, maxBytes = 4 * max, mayBeBlank }: TextLimits) =>
  z
    .string()
    .refine(lines === 'one' ? isLine : isText, lines === 'one' ? LINE_RULE : TEXT_RULE)
    .refine((text) => characters(text) <= max, `must have at most ${max} characters`)
    .refine((text) => utf8Bytes(text) <= maxBytes, `must have at most ${maxBytes} UTF-8 bytes`)
    .refine((text) => mayBeBlank || isNotBlank(text), BLANK_RULE)
    .meta({ ...(!mayBeBlank && { minLength: 1 }), maxLength: max })

/** A message's body: 413 if it is too large, 400 for any other broken rule. */
export const body = z
  .string()
  .refine(isText, TEXT_RULE)
  .refine((text) => utf8Bytes(text) <= MAX_BODY_BYTES, {
    message: `must have at most ${MAX_BODY_BYTES} UTF-8 bytes`,
    params: answersWith('body_too_large'),
  })
  .refine(isNotBlank, BLANK_RULE)
  .meta({
    minLength: 1,
    maxLength: MAX_BODY_BYTES,
    description: `At most ${MAX_BODY_BYTES} UTF-8 bytes.`,
  })

/** Self-declared and unverified. */
export const authorLabel = textWithin({ lines: 'one', max: MAX_LABEL, mayBeBlank: true })
  .meta({ description: 'A name, unverified: one line, empty if it is left out.' })
  .default('')

/** An operator's reason for an action: recorded in the log of actions, or shown with a review. */
export const reason = textWithin({
  lines: 'many',
  max: MAX_REASON_BYTES,
  maxBytes: MAX_REASON_BYTES,
  mayBeBlank: false,
})
