// Formats instants as RFC 3339 in UTC with milliseconds (API.md 2.3).

/** The last result, cached because the records of a batch have the same time. */
let last = { at: 0, text: new Date(0).toISOString() }

/** @param at as stored in the database [ms since 1970] */
export function instant(at: bigint | number): string {
  const ms = Number(at)
  if (ms !== last.at) last = { at: ms, text: new Date(ms).toISOString() }
  return last.text
}
