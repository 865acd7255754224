// Instants on the wire: RFC 3339, UTC, milliseconds (API.md 2.3).

/** The last one written: the records of a batch and of a busy page share theirs. */
let last = { at: 0, text: new Date(0).toISOString() }

/** @param at ms since 1970, as the database holds it */
export function instant(at: bigint | number): string {
  const ms = Number(at)
  if (ms !== last.at) last = { at: ms, text: new Date(ms).toISOString() }
  return last.text
}
