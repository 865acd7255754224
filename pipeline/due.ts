// Determines which days a run must archive. Pure; days are 'YYYY-MM-DD', instants ms since 1970-01-01Z.
import { dayOf, nextDay, previousDay } from '../archive/format/paths.ts'
import { FIRST_DAY, LAST_DAY } from '../protocol/index.ts'

/** Lists the days from `first` to `last`, inclusive, ascending. */
export function daysBetween(first: string, last: string): string[] {
  const days: string[] = []
  for (let day = first; day <= last; day = nextDay(day)) days.push(day)
  return days
}

/**
 * Lists the days that are missing at an instant, ascending: those from the first day with a record up to yesterday
 * (always including yesterday), and those that an interrupted run has begun (API.md 10.4).
 * @param firstRecordAt null when there is no record
 */
export function dueDays(
  now: number,
  firstRecordAt: number | null,
  archived: ReadonlySet<string>,
  begun: readonly string[] = [],
): string[] {
  const yesterday = previousDay(dayOf(now))
  const firstRecorded = firstRecordAt === null ? yesterday : dayOf(firstRecordAt)
  const first = latest(FIRST_DAY, earliest(firstRecorded, yesterday))
  const last = earliest(yesterday, LAST_DAY)
  const resumed = begun.filter((day) => rejectionOf(day, now) === null)
  const due = new Set([...daysBetween(first, last), ...resumed])
  return [...due].filter((day) => !archived.has(day)).sort()
}

const earliest = (a: string, b: string): string => (a < b ? a : b)
const latest = (a: string, b: string): string => (a > b ? a : b)

/** Returns the reason why a day cannot be archived, regardless of the archive's content; null when it can. */
export function rejectionOf(day: string, now: number): string | null {
  if (day < FIRST_DAY || day > LAST_DAY)
    return `the protocol carries days from ${FIRST_DAY} to ${LAST_DAY} only`
  return day < dayOf(now) ? null : 'the day has not ended (UTC); nothing was archived'
}
