// What a request to the archive may ask for (API.md 9.2, 9.4).
import { dayOf, isDay } from '../../archive/format/paths.ts'
import { Problem } from '../wire/problem.ts'
import { one } from '../wire/query.ts'

/** Days on a page by default. */
export const DAYS_SHOWN = 30

/** `?before=`: only earlier days. @throws Problem unless it is a real date, given once */
export function readDayBefore(query: URLSearchParams): string | undefined {
  const text = one(query, 'before', 'invalid_day')
  if (text !== undefined && !isDay(text))
    throw new Problem('invalid_day', 'before: must be a real date, written YYYY-MM-DD')
  return text
}

/** Whether a path's text is a day that can have been archived at `now` (ms): real, and not in the future. */
export function isPastDay(text: string, now: number): boolean {
  return isDay(text) && text <= dayOf(now)
}

interface Progress {
  /** ms since 1970. */
  now: number
  /** The newest archived day. */
  newest: string | null
  /** When days are made next; null when no run is scheduled. */
  nextRun: Date | null
  /** A mirror may lack days that its source has. */
  isMirror: boolean
}

/** Why there is nothing archived of what a path names, for people. */
export function whyNotArchived(text: string, progress: Progress): string {
  const { now, newest, nextRun, isMirror } = progress
  if (!isDay(text)) return 'the address names no day of the calendar'
  const today = dayOf(now)
  if (text > today) return `${text} has not begun; a transmission is made after its day`
  if (text < today && isMirror) return `this mirror has no transmission of ${text}`
  if (text < today && newest !== null && text < newest) return `there is no transmission of ${text}`
  if (text < today)
    return `${text} has not been made${nextRun ? `; it is due at ${minuteOf(nextRun)} UTC` : ' yet'}`
  const isAfterTheDay = nextRun !== null && dayOf(nextRun.getTime()) > today
  const due = isAfterTheDay ? `${minuteOf(nextRun)} UTC` : 'some time after midnight UTC'
  return `${text} is not over; its transmission is due ${due}`
}

/** `2026-11-19 08:30` of an instant, in UTC. */
export const minuteOf = (at: Date): string => at.toISOString().slice(0, 16).replace('T', ' ')
