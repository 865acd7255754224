// Which days a run has to make. Pure; days are 'YYYY-MM-DD', instants ms since 1970-01-01Z.
import { dayOf, nextDay, previousDay } from '../archive/format/paths.ts'

/** The days that a frame can name: 16 bits of days since 1970 (SPEC.md 3.2). */
export const FIRST_DAY = '1970-01-01'
export const LAST_DAY = '2149-06-06'

/** All days from `first` to `last`, both included, ascending. */
export function daysBetween(first: string, last: string): string[] {
  const days: string[] = []
  for (let day = first; day <= last; day = nextDay(day)) days.push(day)
  return days
}

/**
 * The days that are missing at an instant: from the first day with a record, at least yesterday, up
 * to yesterday (decisions.md section 10).
 * @param firstRecordAt null when there is none
 */
export function dueDays(
  now: number,
  firstRecordAt: number | null,
  archived: ReadonlySet<string>,
): string[] {
  const yesterday = previousDay(dayOf(now))
  const ended = [yesterday, LAST_DAY].sort()[0]!
  const first = [firstRecordAt === null ? yesterday : dayOf(firstRecordAt), yesterday].sort()[0]!
  const begun = [first, FIRST_DAY].sort()[1]!
  return daysBetween(begun, ended).filter((day) => !archived.has(day))
}

/** Why a day cannot be made, whatever the archive holds; null when it can. */
export function refusalOf(day: string, now: number): string | null {
  if (day < FIRST_DAY || day > LAST_DAY)
    return `the protocol carries days from ${FIRST_DAY} to ${LAST_DAY} only`
  return day < dayOf(now) ? null : 'the day has not ended (UTC); nothing was made'
}
