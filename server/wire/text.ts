// The text rules that every request shares (API.md 1.6), as zod schemas.
import { z } from 'zod'
import type { ErrorCode } from './problem.ts'

/** A message's body, UTF-8 bytes. */
export const MAX_BODY_BYTES = 16_384

/** A zod issue that answers with its own code instead of invalid_request. */
export const answersWith = (code: ErrorCode) => ({ code })

/** A name that an author gives, Unicode code points. */
export const MAX_LABEL = 80

/** UTF-8 bytes, of a reason that an operator gives. */
export const MAX_REASON_BYTES = 500

/** Unicode code points, which is what a "character" is in every limit. */
export const characters = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}

export const utf8Bytes = (text: string): number => Buffer.byteLength(text, 'utf8')

/** C0 and C1 controls and the two noncharacters, in a text of one line (with U+2028 and U+2029) or of many. */
const FORBIDDEN_IN_LINE = /[\p{Cc}\u2028\u2029\ufffe\uffff]/u
const FORBIDDEN_IN_TEXT = /(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/u
const NOT_WHITE_SPACE = /\P{White_Space}/u

const isLine = (text: string) => text.isWellFormed() && !FORBIDDEN_IN_LINE.test(text)
const isText = (text: string) => text.isWellFormed() && !FORBIDDEN_IN_TEXT.test(text)
export const isNotBlank = (text: string) => NOT_WHITE_SPACE.test(text)

const LINE_RULE = 'must be one line of well-formed text without control characters'
const TEXT_RULE = 'must be well-formed text without control characters other than tab, LF and CR'
const BLANK_RULE = 'must hold a character that is not white space'

interface TextLimits {
  /** One line, or as many as there are. */
  lines: 'one' | 'many'
  /** Unicode code points. */
  max: number
  /** UTF-8 bytes; without it, as many as `max` characters can take. */
  maxBytes?: number
  /** Whether it may be empty or white space alone. */
  mayBeBlank: boolean
}

/** A text within limits; the first broken rule is the one reported. */
export const textOf = ({ lines, max, maxBytes = 4 * max, mayBeBlank }: TextLimits) =>
  z
    .string()
    .refine(lines === 'one' ? isLine : isText, lines === 'one' ? LINE_RULE : TEXT_RULE)
    .refine((text) => characters(text) <= max, `must have at most ${max} characters`)
    .refine((text) => utf8Bytes(text) <= maxBytes, `must have at most ${maxBytes} UTF-8 bytes`)
    .refine((text) => mayBeBlank || isNotBlank(text), BLANK_RULE)
    .meta({ ...(!mayBeBlank && { minLength: 1 }), maxLength: max })

/** A message's body: too large answers 413, anything else 400. */
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
export const authorLabel = textOf({ lines: 'one', max: MAX_LABEL, mayBeBlank: true })
  .meta({ description: 'A name, unverified: one line.' })
  .default('')

/** Why an operator did something: kept in the ledger, or shown with a review. */
export const reason = textOf({
  lines: 'many',
  max: MAX_REASON_BYTES,
  maxBytes: MAX_REASON_BYTES,
  mayBeBlank: false,
})
