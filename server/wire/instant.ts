// Formats instants as RFC 3339 in UTC with milliseconds (API.md 2.3).

const MINUTE_MS = 60_000

/** The minute of the last result, cached because the records of a page or a batch have similar times. */
let last = { minute: 0, text: '1970-01-01T00:00' }

/** @param at as stored in the database [ms since 1970] */
export function instant(at: bigint | number): string {
  const ms = Number(at)
  const minute = Math.floor(ms / MINUTE_MS)
  if (minute !== last.minute)
    last = { minute, text: new Date(minute * MINUTE_MS).toISOString().slice(0, -':00.000Z'.length) }
  const rest = ms - minute * MINUTE_MS
  const seconds = Math.floor(rest / 1000)
  return `${last.text}:${padded(seconds, 2)}.${padded(rest - seconds * 1000, 3)}Z`
}

const padded = (value: number, digits: number): string => String(value).padStart(digits, '0')
