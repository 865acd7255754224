// Parses numbers and cursors in URLs: canonical decimals over the whole int64 range (API.md 1.1).
import { MAX_ID } from '../../archive/format/scalars.ts'
import { type ErrorCode, Problem } from './problem.ts'

/** Records on a page by default, and at most. */
export const PAGE_SIZE = 50
export const MAX_LIMIT = 100

const CANONICAL = /^(?:0|[1-9][0-9]{0,18})$/

/** Returns a parameter's only value, or undefined if it is absent. @throws Problem when it is repeated */
export function one(query: URLSearchParams, name: string, code: ErrorCode): string | undefined {
  const values = query.getAll(name)
  if (values.length > 1) throw new Problem(code, `${name}: must be given once`)
  return values[0]
}

const wholeNumber = (min: bigint, max: bigint) => `must be a whole number from ${min} to ${max}`

export const ID_RULE = wholeNumber(1n, MAX_ID)

/** @throws Problem with `code` unless the text is a canonical decimal from `min` to `max` */
function integer(text: string, name: string, min: bigint, max: bigint, code: ErrorCode): bigint {
  const value = CANONICAL.test(text) ? BigInt(text) : -1n
  if (value < min || value > max) throw new Problem(code, `${name}: ${wholeNumber(min, max)}`)
  return value
}

/** `?after=` on lists of records with ids: exclusive, 0 by default. */
export function readAfter(query: URLSearchParams, name = 'after'): bigint {
  const text = one(query, name, 'invalid_cursor')
  return text === undefined ? 0n : integer(text, name, 0n, MAX_ID, 'invalid_cursor')
}

/** `?before=` on lists with the newest first: exclusive; undefined starts at the newest. */
export function readBefore(query: URLSearchParams, name = 'before'): bigint | undefined {
  const text = one(query, name, 'invalid_cursor')
  return text === undefined ? undefined : integer(text, name, 1n, MAX_ID, 'invalid_cursor')
}

/** `?limit=`: 1 to MAX_LIMIT. */
export function readLimit(query: URLSearchParams, byDefault = PAGE_SIZE): number {
  const text = one(query, 'limit', 'invalid_limit')
  if (text === undefined) return byDefault
  return Number(integer(text, 'limit', 1n, BigInt(MAX_LIMIT), 'invalid_limit'))
}

/** An id in a path or a command line. */
export function readId(text: string | undefined, name = 'id'): bigint {
  return integer(text ?? '', name, 1n, MAX_ID, 'invalid_request')
}

/** An id that a link gives to a form; undefined unless it is a single valid one, since the form works without it. */
export function idGiven(query: URLSearchParams, name: string): bigint | undefined {
  const [text = '', ...more] = query.getAll(name)
  const isId = more.length === 0 && CANONICAL.test(text) && text !== '0' && BigInt(text) <= MAX_ID
  return isId ? BigInt(text) : undefined
}
