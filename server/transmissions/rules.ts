// What a request to the archive may ask for (API.md 9.2, 9.4).
import { dayOf, isDay } from '../../archive/format/paths.ts'
import { Problem } from '../wire/problem.ts'
import { one } from '../wire/query.ts'

/** Days on a page when the request does not say. */
export const DAYS_SHOWN = 30

/** `?before=`: only earlier days. @throws Problem unless it is a real date, given once */
export function readBefore(query: URLSearchParams): string | undefined {
  const text = one(query, 'before', 'invalid_day')
  if (text !== undefined && !isDay(text))
    throw new Problem('invalid_day', 'before: must be a real date, written YYYY-MM-DD')
  return text
}

/** Whether a path's text is a day that can have been archived at `now` (ms): real, and not in the future. */
export function isPastDay(text: string, now: number): boolean {
  return isDay(text) && text <= dayOf(now)
}
