// The deadline of a day's leaf and of its quorum, and what shows that a leaf missed it (FORMAT.md 23.3, 25.4). Pure.
import { daySpan, nextDay } from '../format/calendar.ts'
import type { LogEntry } from './days.ts'

/** How long after its end a day has its leaf at the latest [ms]. */
const DEADLINE_MS = 36 * 3_600_000

/** When a day has its leaf, and the checkpoint its quorum, at the latest [ms since 1970]. */
export function deadlineOf(day: string): number {
  return daySpan(day).to + DEADLINE_MS
}

/** A day that missed its deadline, and a day that shows it. */
export interface Breach {
  day: string
  /** Ended after the deadline, and had its leaf before the day had one. */
  shownBy: string
}

/**
 * Finds the days whose leaf came after their deadline, as the order of the leaves shows, or has not come, ascending.
 * Days before that of the log's first leaf are exempt.
 * @param entries the signed leaves, in order
 */
export function breachesIn(entries: readonly LogEntry[]): Breach[] {
  const first = entries[0]?.day
  if (first === undefined) return []
  const breaches: Breach[] = []
  const present = new Set<string>()
  let last = first
  for (const { day } of entries) {
    if (!present.has(day) && day >= first && isShownBy(day, last))
      breaches.push({ day, shownBy: last })
    present.add(day)
    if (day > last) last = day
  }
  for (let day = first; isShownBy(day, last); day = nextDay(day))
    if (!present.has(day)) breaches.push({ day, shownBy: last })
  return breaches.sort((a, b) => (a.day < b.day ? -1 : 1))
}

function isShownBy(day: string, other: string): boolean {
  return daySpan(other).to > deadlineOf(day)
}
