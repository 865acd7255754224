// One byte range of a whole (RFC 9110 section 14). The package range-parser reads several cases otherwise than the RFC: a
// suffix longer than the file, a last byte before the first, a list in which one range is out of reach.

/** First and last byte, both included, as in the header. */
export interface ByteRange {
  start: number
  end: number
}

const ONE_RANGE = /^bytes=[ \t]*([0-9]*)-([0-9]*)[ \t]*$/i

/**
 * What a Range field asks for of a file of `length` bytes.
 * @returns null for the whole file: without a field, and for one that is malformed, of another unit, or of several ranges
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

/** Whether a range may be answered: no If-Range, or one that names exactly this strong tag; a date never does. */
export function ifRangeHolds(field: string | undefined, etag: string): boolean {
  return field === undefined || field.trim() === etag
}
