// Checks how long ago the newest day ended (FORMAT.md 24). Pure.
import { daySpan } from '../format/calendar.ts'
import type { Finding } from './findings.ts'

/** How old the newest day may be. */
export interface Freshness {
  /** The most that may have passed since the newest day ended [h]. */
  hours: number
  /** Wall-clock time [ms since 1970]. */
  now: number
}

const HOUR_MS = 3_600_000

/**
 * Checks the newest day of an archive.
 * @param newest null if there is no day, which other checks report
 * @param file the file that states the day
 * @param freshness absent if the caller does not ask
 */
export function checkFreshness(
  newest: string | null,
  file: string,
  freshness: Freshness | undefined,
): Finding[] {
  if (newest === null || !freshness) return []
  const { hours, now } = freshness
  const elapsed = now - daySpan(newest).to
  if (elapsed <= hours * HOUR_MS) return []
  const message = `the newest day, ${newest}, ended ${Math.floor(elapsed / HOUR_MS)} hours ago; at most ${hours} may have passed`
  return [{ code: 'stale', file, message }]
}
