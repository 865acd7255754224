// Determines which days a run must archive. Pure; days are 'YYYY-MM-DD', instants ms since 1970-01-01Z.
import { dayOf, daySpan, nextDay, previousDay } from '../../archive/format/calendar.ts'
import { FIRST_DAY, LAST_DAY } from '../../protocol/index.ts'
import { TOLERANCE_MS } from '../../server/database/settings/clock-settings.ts'

/** Lists the days from `first` to `last`, inclusive, ascending. */
export function daysBetween(first: string, last: string): string[] {
  const days: string[] = []
  for (let day = first; day <= last; day = nextDay(day)) days.push(day)
  return days
}

/**
 * Lists the days that are missing at an instant, ascending: those from the first day of the board up to yesterday, and
 * those that an interrupted run has begun (COMMANDS.md 2.1).
 * @param beginning when the board began; null if it has not
 */
export function dueDays(
  now: number,
  beginning: number | null,
  archived: ReadonlySet<string>,
  begun: readonly string[] = [],
): string[] {
  const last = earliest(previousDay(dayOf(now)), LAST_DAY)
  const days = beginning === null ? [] : daysBetween(latest(FIRST_DAY, dayOf(beginning)), last)
  const resumed = begun.filter((day) => rejectionOf(day, now) === null)
  return [...new Set([...days, ...resumed])].filter((day) => !archived.has(day)).sort()
}

/** What shows that a day is over, besides the clock of the machine on which a run takes place. */
export interface Evidence {
  /** The newest heartbeat of any server; null if there is none. */
  heartbeatAt: number | null
  /** The clock of the database; null on an engine without one. */
  databaseTime: number | null
  /** The times that the running servers believe. */
  serverTimes: readonly number[]
}

/** Returns why a due day waits, although it is over by the clock of this machine; null if it need not (COMMANDS.md 2.3). */
export function reasonToWait(day: string, evidence: Evidence): string | null {
  const { heartbeatAt, serverTimes } = evidence
  if (heartbeatAt === null || heartbeatAt < daySpan(day).from)
    return 'no server has written a heartbeat on this day or later'
  // Servers whose clocks differ by less do not contradict each other.
  if (serverTimes.some((time) => time + TOLERANCE_MS < daySpan(day).to))
    return 'it has not ended by the clock of a running server'
  return notEnded(day, evidence)
}

/** Returns the reason if a day is not over by the clock of the database; null if it is, or there is no such clock. */
export function notEnded(day: string, { databaseTime }: Evidence): string | null {
  const hasEnded = databaseTime === null || databaseTime >= daySpan(day).to
  return hasEnded ? null : 'it has not ended by the clock of the database'
}

const earliest = (a: string, b: string): string => (a < b ? a : b)
const latest = (a: string, b: string): string => (a > b ? a : b)

/** Returns the reason why a day cannot be archived, regardless of the archive's content; null when it can. */
export function rejectionOf(day: string, now: number): string | null {
  if (day < FIRST_DAY || day > LAST_DAY)
    return `the protocol carries days from ${FIRST_DAY} to ${LAST_DAY} only`
  return day < dayOf(now) ? null : 'the day has not ended (UTC); nothing was archived'
}
