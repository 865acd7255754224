// Reads the days and the byte ranges that requests name, and explains why a day is not archived (API.md 9.2, 9.4, 9.5).
import { dayOf, isDay } from '../../archive/format/calendar.ts'
import { Problem } from '../wire/problem.ts'
import { one } from '../wire/query.ts'

/** The default number of days on a page. */
export const DAYS_SHOWN = 30

/** The number of records in each section of a day's records. */
export const RECORDS_SHOWN = 20

/** Reads `?before=`. @throws Problem invalid_day unless it is a single real date */
export function readDayBefore(query: URLSearchParams): string | undefined {
  const text = one(query, 'before', 'invalid_day')
  if (text !== undefined && !isDay(text))
    throw new Problem('invalid_day', 'before: must be a real date, written YYYY-MM-DD')
  return text
}

/** Whether text from a path is a real date that is not after today. @param now [ms since 1970] */
export function isPastDay(text: string, now: number): boolean {
  return isDay(text) && text <= dayOf(now)
}

interface Progress {
  /** [ms since 1970] */
  now: number
  newest: string | null
  /** The next scheduled run of the pipeline; null when none is scheduled. */
  nextRun: Date | null
  /** A mirror may lack days that its source has. */
  isMirror: boolean
  /** The first day of the board (COMMANDS.md 2.2); null if it is not known. */
  firstDay: string | null
}

/** Explains to a person why the day in a path is not archived: a clause without its full stop. */
export function whyNotArchived(text: string, progress: Progress): string {
  const { now, newest, nextRun, isMirror, firstDay } = progress
  if (!isDay(text)) return 'the address does not contain a valid date'
  const today = dayOf(now)
  if (text > today) return `${text} has not begun; a day is archived after it has ended`
  if (text < today && isMirror) return `this mirror has no transmission for ${text}`
  if (firstDay !== null && text < firstDay)
    return `${text} was before the first day of this board, ${firstDay}`
  if (text < today && newest !== null && text < newest)
    return `there is no transmission for ${text}`
  if (text < today)
    return `${text} has not been archived yet${nextRun ? `; it is due at ${minuteOf(nextRun)} UTC` : ''}`
  const due = nextTransmission(now, nextRun)
  return `${text} is not over yet; its transmission is due ${due ? `at ${minuteOf(due)} UTC` : AFTER_MIDNIGHT}`
}

/** When a transmission is due whose run is not scheduled yet. */
export const AFTER_MIDNIGHT = 'after midnight UTC'

/**
 * The time at which the current day is archived: that of the next run, if it is after midnight.
 * @returns null if the time is not known
 */
export const nextTransmission = (now: number, nextRun: Date | null): Date | null =>
  nextRun !== null && dayOf(nextRun.getTime()) > dayOf(now) ? nextRun : null

/** Formats an instant as `2026-11-19 08:30`, in UTC. */
export const minuteOf = (at: Date): string => at.toISOString().slice(0, 16).replace('T', ' ')

/** First and last byte, inclusive, as in the header. */
export interface ByteRange {
  start: number
  end: number
}

const ONE_RANGE = /^bytes=[ \t]*([0-9]*)-([0-9]*)[ \t]*$/i

/**
 * Parses the Range field of a request for a file of `length` bytes: a single byte range (RFC 9110 section 14). The package
 * range-parser departs from the RFC in several cases: a suffix longer than the file, a last byte before the first, a list
 * with one unsatisfiable range.
 * @returns null for the whole file: the field is absent, malformed, in another unit, or lists several ranges
 */
export function readRange(
  field: string | undefined,
  length: number,
): ByteRange | 'unsatisfiable' | null {
  const [, first = '', last = ''] = ONE_RANGE.exec(field ?? '') ?? []
  if (first === '' && last === '') return null
  if (first === '') {
    const start = Math.max(0, length - Number(last))
    return start < length ? { start, end: length - 1 } : 'unsatisfiable'
  }
  const start = Number(first)
  const end = last === '' ? Number.POSITIVE_INFINITY : Number(last)
  if (end < start) return null
  return start < length ? { start, end: Math.min(end, length - 1) } : 'unsatisfiable'
}

/** Whether the range applies: no If-Range, or one that is exactly this strong ETag. A date never matches. */
export function ifRangeHolds(field: string | undefined, etag: string): boolean {
  return field === undefined || field.trim() === etag
}
