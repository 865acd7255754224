// Formats instants as RFC 3339 in UTC with milliseconds (API.md 2.3).

const HOUR_MS = 3_600_000

/** The hour of the last result, cached because the records of a page or a batch have similar times. */
let last = { hour: 0, text: '1970-01-01T00:' }

/** The numbers below 60 with two digits, and those below 1000 with three. */
const TWO = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'))
const THREE = Array.from({ length: 1000 }, (_, value) => String(value).padStart(3, '0'))

/** @param at as stored in the database [ms since 1970] */
export function instant(at: bigint | number): string {
  const ms = Number(at)
  const hour = Math.floor(ms / HOUR_MS)
  if (hour !== last.hour)
    last = { hour, text: new Date(hour * HOUR_MS).toISOString().slice(0, -'00:00.000Z'.length) }
  const rest = ms - hour * HOUR_MS
  const seconds = Math.floor(rest / 1000)
  return `${last.text}${TWO[Math.floor(seconds / 60)]}:${TWO[seconds % 60]}.${THREE[rest % 1000]}Z`
}
