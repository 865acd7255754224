// Messages as JSON, and what a page of them has around its records.
import { hash } from 'node:crypto'
import type { BytesInParts } from '../http/answer.ts'
import type { LongText } from '../http/long-text.ts'
import { stringifyJson } from '../wire/json.ts'
import type { MessageRecord } from './api.ts'

/** What a page knows of a record without its text. */
export interface RecordFacts {
  id: bigint
  /** SHA-256 of its JSON. */
  digest: string
  /** Length of its JSON in UTF-8. */
  bytes: number
}

export interface RecordText extends RecordFacts {
  json: string
}

/** SHA-256 in base64url [characters]. */
export const DIGEST_LENGTH = 43

export function textOf(record: MessageRecord): RecordText {
  const json = stringifyJson(record)
  const digest = hash('sha256', json, 'base64url')
  return { id: record.id, digest, bytes: Buffer.byteLength(json), json }
}

/** A page as the body of an answer, and the strong tag of its bytes, quoted. */
export interface PageText<Body = Uint8Array | BytesInParts | LongText> {
  body: Body
  etag: string
}

/** A page is this, its records with commas between them, and its end. */
export const OPENING = '{"messages":['

export const pageEnd = (next: bigint): string => `],"next_cursor":${next}}`

/**
 * The strong tag of a page, quoted.
 * @param digests of its records, one after the other
 * @param next its cursor
 */
export const etagOfPage = (digests: string, next: bigint): string =>
  `"${hash('sha256', `${digests} ${next}`, 'base64url')}"`
