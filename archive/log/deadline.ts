// The deadline of a day's leaf, and what shows that it was missed (FORMAT.md 25.3). Pure.
import { daySpan } from '../format/paths.ts'
import type { LogEntry } from './days.ts'

/** How long after its end a day has its leaf at the latest [ms]. */
const DEADLINE_MS = 36 * 3_600_000

/** When a day has its leaf at the latest [ms since 1970]. */
export function deadlineOf(day: string): number {
  return daySpan(day).to + DEADLINE_MS
}

/**
 * Finds the first leaf which shows that a day missed its deadline: one of a day that ended after the deadline, with no
 * leaf of the day before it. Days before that of the log's first leaf are exempt.
 */
export function breachOf(day: string, entries: readonly LogEntry[]): LogEntry | null {
  if (day < (entries[0]?.day ?? day)) return null
  const own = entries.findIndex((entry) => entry.day === day)
  const before = own < 0 ? entries : entries.slice(0, own)
  return before.find((entry) => daySpan(entry.day).to > deadlineOf(day)) ?? null
}
