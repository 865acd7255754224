// Converts UTC calendar days to and from their 16-bit number, counted from 1970-01-01 (SPEC.md 3.2).
import { LAST_DAY_NUMBER } from './constants.ts'

/** The length of a UTC day [ms]. */
export const DAY_MS = 86_400_000

/** The first and last day that fit in a frame. */
export const FIRST_DAY: string = dayFromNumber(0)
export const LAST_DAY: string = dayFromNumber(LAST_DAY_NUMBER)

/** Returns the days from 1970-01-01 to `day` ('YYYY-MM-DD'), or null if it is not a valid date up to LAST_DAY. */
export function dayNumber(day: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return null
  const number = Date.parse(`${day}T00:00:00Z`) / DAY_MS
  const isValid = number >= 0 && number <= LAST_DAY_NUMBER && dayFromNumber(number) === day
  return isValid ? number : null
}

/** The inverse of `dayNumber`, for numbers from 0 to LAST_DAY_NUMBER. */
export function dayFromNumber(number: number): string {
  return new Date(number * DAY_MS).toISOString().slice(0, 10)
}
