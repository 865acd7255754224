// Days as numbers: a UTC calendar day counted from 1970-01-01, as 16 bits hold it (SPEC.md 3.2).

const DAY_MS = 86_400_000
const LAST_DAY = 0xffff

/** Days since 1970-01-01 of a date 'YYYY-MM-DD'; null for anything that is not a real date up to 2149-06-06. */
export function dayNumber(day: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return null
  const number = Date.parse(`${day}T00:00:00Z`) / DAY_MS
  const real = number >= 0 && number <= LAST_DAY && numberedDay(number) === day
  return real ? number : null
}

/** The inverse of `dayNumber`, for a number of 0 to 65535. */
export function numberedDay(number: number): string {
  return new Date(number * DAY_MS).toISOString().slice(0, 10)
}
