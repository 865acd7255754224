// The sections of a day's records, and the cursors of their pages (API.md 9.15).
import { daySpan } from '../../archive/format/calendar.ts'
import { Problem } from '../wire/problem.ts'
import { one } from '../wire/query.ts'

/** In the order of the page. All but the first list records that the messages include, or that belong to one. */
export const SECTIONS = [
  'messages',
  'questions',
  'observations',
  'attempts',
  'corrections',
  'results',
  'reuses',
  'sources',
  'directories',
  'reviews',
] as const
export type SectionName = (typeof SECTIONS)[number]

/** The last record of a page: its time [ms since 1970] and its id, which breaks ties. */
export interface Position {
  at: bigint
  id: bigint
}

/** The position before the first record of a day. */
export const startOf = (day: string): Position => ({ at: BigInt(daySpan(day).from), id: -1n })

/** The cursor of a position: the time since midnight [ms] and the id, as in `29400000-372`. */
export const cursorOf = (day: string, { at, id }: Position): string =>
  `${at - BigInt(daySpan(day).from)}-${id}`

export const CURSOR = /^(0|[1-9][0-9]{0,7})-([1-9][0-9]{0,18})$/

/** Reads `?section=`; undefined for all of them. @throws Problem invalid_request */
export function readSection(query: URLSearchParams): SectionName | undefined {
  const text = one(query, 'section', 'invalid_request')
  const found = SECTIONS.find((name) => name === text)
  if (text !== undefined && !found)
    throw new Problem('invalid_request', `section: must be one of ${SECTIONS.join(', ')}`)
  return found
}

/** Reads `?after=` of a section; without it, the page starts with the day. @throws Problem invalid_cursor */
export function readPosition(query: URLSearchParams, day: string): Position {
  const text = one(query, 'after', 'invalid_cursor')
  if (text === undefined) return startOf(day)
  const [, ms, id] = CURSOR.exec(text) ?? []
  if (ms === undefined || id === undefined)
    throw new Problem('invalid_cursor', 'after: is not the cursor of a section')
  return { at: BigInt(daySpan(day).from) + BigInt(ms), id: BigInt(id) }
}
