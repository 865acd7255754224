// Reads the ETags of answers that may be sent back to the server.
import type { FetchedAnswer } from './exchange.ts'

/** Strong, and short. */
const STRONG_TAG = /^"[\x21\x23-\x7e]{1,200}"$/

/** Whether the text is an ETag that may be sent back. */
export function isStrongTag(text: string): boolean {
  return STRONG_TAG.test(text)
}

/** The strong ETag of an answer; null if it has none. */
export function strongTagOf({ header }: FetchedAnswer): string | null {
  const tag = header('etag') ?? ''
  return isStrongTag(tag) ? tag : null
}
