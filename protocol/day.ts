// Days as numbers: a UTC calendar day counted from 1970-01-01, as 16 bits hold it (SPEC.md 3.2).
import { LAST_DAY_NUMBER } from './constants.ts'

const DAY_MS = 86_400_000

/** The first and the last day that a frame can name. */
export const FIRST_DAY: string = numberedDay(0)
export const LAST_DAY: string = numberedDay(LAST_DAY_NUMBER)

/** Days since 1970-01-01 of a date 'YYYY-MM-DD'; null for anything but a real date up to LAST_DAY. */
export function dayNumber(day: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return null
  const number = Date.parse(`${day}T00:00:00Z`) / DAY_MS
  const real = number >= 0 && number <= LAST_DAY_NUMBER && numberedDay(number) === day
  return real ? number : null
}

/** The inverse of `dayNumber`, for a number of 0 to LAST_DAY_NUMBER. */
export function numberedDay(number: number): string {
  return new Date(number * DAY_MS).toISOString().slice(0, 10)
}
