// What a handler returns: status, headers and body, with validators and the cache policy of each kind of answer.
import { hash } from 'node:crypto'
import { type CachePolicy, COMPRESSED_TYPES } from '../wire/endpoint.ts'
import { stringifyJson } from '../wire/json.ts'
import type { Call } from './call.ts'
import { COMPRESSION_THRESHOLD_BYTES, chooseEncoding, type Encoding } from './compression.ts'
import { isNotModified } from './conditional.ts'
import type { LongText } from './long-text.ts'
import type { FileRange } from './send-file.ts'
import type { RemoteRange } from './send-stream.ts'

/** Bytes that lie in several places in memory: sent from there, without a copy of them all. */
export interface BytesInParts {
  /** Of all parts. */
  length: number
  parts: readonly Uint8Array[]
}

export interface Answer {
  status: number
  /** Names and values by turns, as node:http's writeHead takes them; what every answer carries is added by write.ts. */
  headers: readonly string[]
  body: string | Uint8Array | BytesInParts | FileRange | RemoteRange | LongText | null
  /** How the body is to be compressed on its way; the headers say so already. */
  encoding?: 'gzip'
  /** Whether it is a page whose form's script may send to this service; the scripts of others may send nowhere. */
  hasForm?: boolean
}

/** Content types of texts. */
export const TEXT_TYPES = {
  json: 'application/json; charset=utf-8',
  html: 'text/html; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  svg: 'image/svg+xml',
  atom: 'application/atom+xml; charset=utf-8',
} as const

export type TextKind = keyof typeof TEXT_TYPES

const CACHE_CONTROL: Record<CachePolicy, string> = {
  revalidate: 'no-cache',
  'no-store': 'no-store',
  immutable: 'public, max-age=31536000, immutable',
}

/** The fields of content that depend on no request. */
export const contentHeaders = (contentType: string, cache: CachePolicy): readonly string[] => [
  'Content-Type',
  contentType,
  'Cache-Control',
  CACHE_CONTROL[cache],
]

/** The fields of a text's content. */
export const textHeaders = (kind: TextKind, cache: CachePolicy): readonly string[] =>
  contentHeaders(TEXT_TYPES[kind], cache)

/** A strong tag of the bytes, quoted. */
export const etagOf = (body: string | Uint8Array): string =>
  `"${hash('sha256', body, 'base64url')}"`

/** The tag of the same bytes in a content coding. */
export const encodedEtag = (etag: string, encoding: Encoding | undefined): string =>
  encoding === undefined ? etag : `${etag.slice(0, -1)}-${encoding}"`

/** The fields of a body that is sent compressed to those who ask for it. */
export const encodingHeaders = (encoding: Encoding | undefined): readonly string[] =>
  encoding === undefined
    ? ['Vary', 'Accept-Encoding']
    : ['Vary', 'Accept-Encoding', 'Content-Encoding', encoding]

/**
 * A read's answer, or 304 when the client has it.
 * @param headers names and values by turns, content type and cache policy among them
 * @param etag quoted
 * @throws Problem precondition_failed
 */
export function answerTagged(
  call: Call,
  headers: readonly string[],
  etag: string,
  body: Answer['body'],
): Answer {
  const all = [...headers, 'ETag', etag]
  if (isNotModified(call, etag)) return { status: 304, headers: all, body: null }
  return { status: 200, headers: all, body }
}

const COMPRESSED_KINDS = (Object.keys(TEXT_TYPES) as TextKind[]).filter((kind) =>
  COMPRESSED_TYPES.includes(TEXT_TYPES[kind].split(';', 1)[0] as string),
)

/**
 * A read's answer of text, with a strong ETag unless it may not be stored.
 * @param more fields, names and values by turns
 * @throws Problem precondition_failed
 */
export const answerText = (
  call: Call,
  kind: TextKind,
  text: string | Uint8Array,
  cache: CachePolicy,
  more: readonly string[] = [],
): Answer =>
  answerTaggedText(call, kind, text, cache, cache === 'no-store' ? null : etagOf(text), more)

/**
 * As answerText, for a text whose tag is known without reading all of it.
 * @param etag quoted; null for none
 * @throws Problem precondition_failed
 */
export function answerTaggedText(
  call: Call,
  kind: TextKind,
  text: string | Uint8Array | BytesInParts | LongText,
  cache: CachePolicy,
  etag: string | null,
  more: readonly string[] = [],
): Answer {
  const headers = [...textHeaders(kind, cache), ...more]
  const isLarge = COMPRESSED_KINDS.includes(kind) && text.length > COMPRESSION_THRESHOLD_BYTES
  const encoding = isLarge ? chooseEncoding(call.header('accept-encoding'), ['gzip']) : undefined
  if (isLarge) headers.push(...encodingHeaders(encoding))
  const answer =
    etag === null
      ? { status: 200, headers, body: text }
      : answerTagged(call, headers, encodedEtag(etag, encoding), text)
  return encoding === undefined ? answer : { ...answer, encoding }
}

/** Leads to what is asked for, at another address for now. */
export const answerRedirect = (location: string, cache: CachePolicy): Answer => ({
  status: 302,
  headers: ['Location', location, 'Cache-Control', CACHE_CONTROL[cache]],
  body: '',
})

/** A read's answer of JSON. */
export const answerJson = (call: Call, value: unknown, cache: CachePolicy): Answer =>
  answerText(call, 'json', stringifyJson(value), cache)
