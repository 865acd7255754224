// Serializes messages to JSON, one at a time and as a page.
import { hash } from 'node:crypto'
import { stringifyJson } from '../../archive/format/json.ts'
import type { BytesInParts } from '../http/answer.ts'
import type { LongText } from '../http/long-text.ts'
import type { MessageRecord } from './api.ts'

/** Everything about a record except its text. */
export interface RecordFacts {
  id: bigint
  /** SHA-256 of its JSON in base64url. */
  digest: string
  /** Length of its JSON in UTF-8 [bytes]. */
  bytes: number
}

export interface RecordText extends RecordFacts {
  json: string
}

/** Length of a SHA-256 in base64url [characters]. */
export const DIGEST_LENGTH = 43

export function textOf(record: MessageRecord): RecordText {
  const json = stringifyJson(record)
  const digest = hash('sha256', json, 'base64url')
  return { id: record.id, digest, bytes: Buffer.byteLength(json), json }
}

export interface PageText<Body = Uint8Array | BytesInParts | LongText> {
  /** The body of the response. */
  body: Body
  /** Strong, quoted. */
  etag: string
}

/** The opening of a page. Its records follow, separated by commas, then its end. */
export const OPENING = '{"messages":['

export const pageEnd = (next: bigint): string => `],"next_cursor":${next}}`

/**
 * Returns the strong ETag of a page, quoted.
 * @param digests of its records, concatenated
 * @param next its cursor
 */
export const etagOfPage = (digests: string, next: bigint): string =>
  `"${hash('sha256', `${digests} ${next}`, 'base64url')}"`
