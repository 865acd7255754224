// Builds the responses that handlers return: status, headers with validators and cache policy, and body.
import { hash } from 'node:crypto'
import { stringifyJson } from '../../archive/base/json.ts'
import { type CachePolicy, COMPRESSED_TYPES } from '../wire/endpoint.ts'
import { Problem } from '../wire/problem.ts'
import type { Call } from './call.ts'
import {
  COMPRESSION_THRESHOLD_BYTES,
  chooseEncoding,
  compress,
  type Encoding,
} from './compression.ts'
import type { FileRange } from './send-file.ts'
import type { LongText, RemoteRange } from './streamed.ts'

/** A response that a handler returns and write.ts sends. */
export interface Answer {
  status: number
  /** Alternating names and values, as node:http's writeHead takes them; write.ts adds the headers of every response. */
  headers: readonly string[]
  body: string | Uint8Array | FileRange | RemoteRange | LongText | null
  /** The coding to apply while sending; the headers already declare it. */
  encoding?: 'gzip'
  /** Whether the page's scripts may send requests to this service, as forms and live lists do; others may send none. */
  mayConnect?: boolean
  /** Whether the page may ask for the microphone. */
  mayListen?: boolean
}

export const TEXT_TYPES = {
  json: 'application/json; charset=utf-8',
  html: 'text/html; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
  svg: 'image/svg+xml',
  atom: 'application/atom+xml; charset=utf-8',
  rss: 'application/rss+xml; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
} as const

export type TextKind = keyof typeof TEXT_TYPES

const CACHE_CONTROL: Record<CachePolicy, string> = {
  revalidate: 'no-cache',
  'no-store': 'no-store',
  immutable: 'public, max-age=31536000, immutable',
}

/** The headers that are the same for every request: content type and cache policy. */
export const contentHeaders = (contentType: string, cache: CachePolicy): readonly string[] => [
  'Content-Type',
  contentType,
  'Cache-Control',
  CACHE_CONTROL[cache],
]

export const textHeaders = (kind: TextKind, cache: CachePolicy): readonly string[] =>
  contentHeaders(TEXT_TYPES[kind], cache)

/** The strong ETag of a body, quoted. */
export const etagOf = (body: string | Uint8Array): string =>
  `"${hash('sha256', body, 'base64url')}"`

/** The ETag of the same body in a content coding. */
const encodedEtag = (etag: string, encoding: Encoding | undefined): string =>
  encoding === undefined ? etag : `${etag.slice(0, -1)}-${encoding}"`

/** The headers of a body that is compressed for clients that accept it. */
const encodingHeaders = (encoding: Encoding | undefined): readonly string[] =>
  encoding === undefined
    ? ['Vary', 'Accept-Encoding']
    : ['Vary', 'Accept-Encoding', 'Content-Encoding', encoding]

/**
 * Responds to a read: 200 with the body, or 304 if the client's copy is current.
 * @param headers alternating names and values, including content type and cache policy
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
 * Responds to a read with a text, and with a strong ETag unless the text must not be stored.
 * @param more further headers, alternating names and values
 * @throws Problem precondition_failed
 */
export const answerText = (
  call: Call,
  kind: TextKind,
  text: string | Uint8Array,
  cache: CachePolicy,
  more: readonly string[] = [],
): Answer => {
  // Encoded once, for the hash, the length and the socket.
  const bytes = Buffer.from(text)
  return answerTaggedText(
    call,
    kind,
    bytes,
    cache,
    cache === 'no-store' ? null : etagOf(bytes),
    more,
  )
}

/**
 * As `answerText`, for a text whose ETag is known without reading all of it.
 * @param etag quoted; null for none
 * @throws Problem precondition_failed
 */
export function answerTaggedText(
  call: Call,
  kind: TextKind,
  text: string | Uint8Array | LongText,
  cache: CachePolicy,
  etag: string | null,
  more: readonly string[] = [],
): Answer {
  const headers = [...textHeaders(kind, cache), ...more]
  const isLarge =
    COMPRESSED_KINDS.includes(kind) &&
    (text.length ?? Number.POSITIVE_INFINITY) > COMPRESSION_THRESHOLD_BYTES
  const encoding = isLarge ? chooseEncoding(call.header('accept-encoding'), ['gzip']) : undefined
  if (isLarge) headers.push(...encodingHeaders(encoding))
  const answer =
    etag === null
      ? { status: 200, headers, body: text }
      : answerTagged(call, headers, encodedEtag(etag, encoding), text)
  return encoding === undefined ? answer : { ...answer, encoding }
}

/** A text that is encoded, hashed and compressed once, and sent to many. */
export class ReadyText {
  readonly bytes: Buffer
  readonly #headers: readonly string[]
  readonly #codings: readonly Encoding[]
  readonly #etag: string
  readonly #compressed = new Map<Encoding, Promise<Uint8Array>>()

  /**
   * @param headers content type and cache policy, alternating names and values
   * @param codings those to offer, preferred first
   */
  constructor(
    text: string | Uint8Array,
    headers: readonly string[],
    codings: readonly Encoding[] = ['gzip'],
  ) {
    this.bytes = Buffer.from(text)
    this.#headers = headers
    this.#codings = this.bytes.length > COMPRESSION_THRESHOLD_BYTES ? codings : []
    this.#etag = etagOf(this.bytes)
  }

  /** Responds to a read, in the coding that the client prefers. @throws Problem precondition_failed */
  async answer(call: Call): Promise<Answer> {
    const { bytes } = this
    if (this.#codings.length === 0) return answerTagged(call, this.#headers, this.#etag, bytes)
    const encoding = chooseEncoding(call.header('accept-encoding'), this.#codings)
    const headers = [...this.#headers, ...encodingHeaders(encoding)]
    const answer = answerTagged(call, headers, encodedEtag(this.#etag, encoding), bytes)
    if (encoding === undefined || answer.status !== 200) return answer
    return { ...answer, body: await this.#compress(encoding) }
  }

  /** Compresses when a client first accepts a coding: most texts are never requested in most codings. */
  #compress(encoding: Encoding): Promise<Uint8Array> {
    const cached = this.#compressed.get(encoding)
    if (cached) return cached
    const result = compress(encoding, this.bytes)
    this.#compressed.set(encoding, result)
    // A failed compression is retried by the next request.
    result.catch(() => this.#compressed.delete(encoding))
    return result
  }
}

export const answerRedirect = (location: string, cache: CachePolicy): Answer => ({
  status: 302,
  headers: ['Location', location, 'Cache-Control', CACHE_CONTROL[cache]],
  body: '',
})

export const answerJson = (call: Call, value: unknown, cache: CachePolicy): Answer =>
  answerText(call, 'json', stringifyJson(value), cache)

/**
 * Evaluates If-Match, then If-None-Match (RFC 9110 section 13.2.2), for a representation with a strong ETag and no date.
 * @param etag quoted
 * @returns whether the client's copy is current, and the response is 304
 * @throws Problem precondition_failed if If-Match names only other representations
 */
function isNotModified(call: Call, etag: string): boolean {
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
