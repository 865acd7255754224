// Instants on the wire: RFC 3339, UTC, milliseconds (decisions.md 2.3).

/** @param at ms since 1970, as the database holds it */
export const instant = (at: bigint | number): string => new Date(Number(at)).toISOString()
