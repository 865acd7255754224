// What a handler returns: a status, headers and a body, with the cache rule of each kind of answer.
import { createHash } from 'node:crypto'
import { stringifyJson } from '../wire/json.ts'

export interface Answer {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array | ReadableStream<Uint8Array> | null
}

/** Sent with every answer (decisions.md 2.4). */
export const SECURITY_HEADERS: Record<string, string> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; font-src 'self'; connect-src 'none'; worker-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
}

const TYPES = {
  json: 'application/json; charset=utf-8',
  html: 'text/html; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
} as const

export type TextKind = keyof typeof TYPES

/**
 * `revalidate`: kept by caches, asked for again each time by its ETag. `no-store`: the investigation
 * reads, as the specification says. `immutable`: the bytes behind this address never change.
 */
export type CacheRule = 'revalidate' | 'no-store' | 'immutable'

export const CACHE_CONTROL: Record<CacheRule, string> = {
  revalidate: 'no-cache',
  'no-store': 'no-store',
  immutable: 'public, max-age=31536000, immutable',
}

/** A read's answer of text, as `answerBytes`. */
export function answerText(
  request: Request,
  kind: TextKind,
  text: string | Uint8Array,
  rule: CacheRule = 'revalidate',
  headers: Record<string, string> = {},
): Answer {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  return answerBytes(request, TYPES[kind], bytes, rule, headers)
}

/** A read's answer, with a strong ETag of its bytes, or 304 when the client has them. */
export function answerBytes(
  request: Request,
  contentType: string,
  body: Uint8Array,
  rule: CacheRule = 'revalidate',
  headers: Record<string, string> = {},
): Answer {
  const all: Record<string, string> = {
    'content-type': contentType,
    'cache-control': CACHE_CONTROL[rule],
    ...headers,
  }
  if (rule !== 'no-store') {
    all.etag = `"${createHash('sha256').update(body).digest('base64url')}"`
    if (matchesEtag(request.headers.get('if-none-match'), all.etag))
      return { status: 304, headers: all, body: null }
  }
  return { status: 200, headers: all, body }
}

/** A read's answer of JSON. */
export function answerJson(
  request: Request,
  value: unknown,
  rule: CacheRule = 'revalidate',
  headers: Record<string, string> = {},
): Answer {
  return answerText(request, 'json', stringifyJson(value), rule, headers)
}

/** Whether an If-None-Match field names the tag, by weak comparison (RFC 9110 section 13.1.2). */
export function matchesEtag(field: string | null, etag: string): boolean {
  if (field === null) return false
  if (field.trim() === '*') return true
  return Array.from(field.matchAll(/"[^"]*"/g), ([tag]) => tag).includes(etag)
}
