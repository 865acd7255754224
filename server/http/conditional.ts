// Evaluates conditional requests (RFC 9110 section 13) for representations with a strong ETag and no date.
import { Problem } from '../wire/problem.ts'
import type { Call } from './call.ts'

/**
 * Evaluates If-Match, then If-None-Match (RFC 9110 section 13.2.2).
 * @param etag quoted
 * @returns whether the client's copy is current, and the response is 304
 * @throws Problem precondition_failed if If-Match names only other representations
 */
export function isNotModified(call: Call, etag: string): boolean {
  const match = call.header('if-match')
  if (match !== undefined && !names(match, etag, 'strong'))
    throw new Problem('precondition_failed', 'If-Match: names another version than the current one')
  const noneMatch = call.header('if-none-match')
  return noneMatch !== undefined && names(noneMatch, etag, 'weak')
}

/** Whether a list of ETags, or `*`, matches the ETag by strong or weak comparison (RFC 9110 section 8.8.3.2). */
function names(field: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (field === etag || field.trim() === '*') return true
  for (const [tag, weak] of field.matchAll(/(W\/)?"[^"]*"/g))
    if (weak === undefined ? tag === etag : comparison === 'weak' && tag.slice(2) === etag)
      return true
  return false
}
