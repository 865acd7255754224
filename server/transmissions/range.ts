// Parses a single byte range (RFC 9110 section 14). The package range-parser departs from the RFC in several cases: a
// suffix longer than the file, a last byte before the first, a list with one unsatisfiable range.

/** First and last byte, inclusive, as in the header. */
export interface ByteRange {
  start: number
  end: number
}

const ONE_RANGE = /^bytes=[ \t]*([0-9]*)-([0-9]*)[ \t]*$/i

/**
 * Parses the Range field of a request for a file of `length` bytes.
 * @returns null for the whole file: the field is absent, malformed, in another unit, or lists several ranges
 */
export function readRange(
  field: string | undefined,
  length: number,
): ByteRange | 'unsatisfiable' | null {
  const [, first = '', last = ''] = ONE_RANGE.exec(field ?? '') ?? []
  if (first === '' && last === '') return null
  if (first === '') {
    const start = Math.max(0, length - Number(last))
    return start < length ? { start, end: length - 1 } : 'unsatisfiable'
  }
  const start = Number(first)
  const end = last === '' ? Number.POSITIVE_INFINITY : Number(last)
  if (end < start) return null
  return start < length ? { start, end: Math.min(end, length - 1) } : 'unsatisfiable'
}

/** Whether the range applies: no If-Range, or one that is exactly this strong ETag. A date never matches. */
export function ifRangeHolds(field: string | undefined, etag: string): boolean {
  return field === undefined || field.trim() === etag
}
