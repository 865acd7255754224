// How a feature describes one of its operations; document.ts turns it into OpenAPI.
import type { z } from 'zod'
import type { ErrorCode } from '../wire/problem.ts'
import type { HeaderName } from './headers.ts'

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  description: string
  /** JSON Schema. */
  schema: object
  required?: true
  example?: unknown
}

export interface AnswerDescription {
  description: string
  /** Always sent. */
  headers?: readonly HeaderName[]
  /** Sent in some cases. */
  optionalHeaders?: readonly HeaderName[]
  /** Media type -> the schema of its JSON, or null for any text or bytes. */
  content?: Record<string, z.ZodType | null>
}

export interface OperationDescription {
  /** The route's `operation`. */
  id: string
  method: 'get' | 'post'
  /** In OpenAPI's notation. */
  path: string
  tag: 'Board' | 'Investigations' | 'Transmissions' | 'Service'
  summary: string
  description?: string
  parameters?: readonly Parameter[]
  request?: z.ZodType
  answers: Record<number, AnswerDescription>
  errors: readonly ErrorCode[]
  /** Whether an error may be an HTML page instead of the envelope: never, by Accept, or always. */
  errorPages?: 'negotiated' | 'always'
}

/** What any read that looks into the database may meet. */
export const READ_ERRORS = ['invalid_request', 'storage_unavailable', 'internal_error'] as const

/** What any publication may meet, but for the rules of its own fields. */
export const WRITE_ERRORS = [
  'invalid_json',
  'invalid_request',
  'invalid_idempotency_key',
  'idempotency_conflict',
  'request_too_large',
  'unsupported_media_type',
  'rate_limited',
  'read_only',
  'feature_disabled',
  'storage_unavailable',
  'internal_error',
] as const

const MAX_INT64 = 9223372036854775807n

export const pathId = (what: string): Parameter => ({
  name: 'id',
  in: 'path',
  required: true,
  description: `${what}, a canonical decimal.`,
  schema: { type: 'integer', format: 'int64', minimum: 1, maximum: MAX_INT64 },
})

export const afterId = (what: string): Parameter => ({
  name: 'after',
  in: 'query',
  description: `Only records after ${what}. 0, the default, starts at the first.`,
  schema: { type: 'integer', format: 'int64', minimum: 0, maximum: MAX_INT64, default: 0 },
})

export const limit = (byDefault = 50): Parameter => ({
  name: 'limit',
  in: 'query',
  description: 'Records on a page.',
  schema: { type: 'integer', minimum: 1, maximum: 100, default: byDefault },
})

export const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'An ETag that the client holds; the answer is 304 while it still holds.',
  schema: { type: 'string' },
}

export const idempotencyKey = (pattern: string): Parameter => ({
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes a repetition safe: for 24 hours the same key with the same content from the same source answers 200 with the first answer, with another content 409.',
  schema: { type: 'string', minLength: 1, maxLength: 128, pattern },
})

/** 304: the client's copy is current. */
export const NOT_MODIFIED: AnswerDescription = {
  description: 'The copy that If-None-Match names is current.',
  headers: ['ETag', 'Cache-Control'],
}

/** The answers of a JSON read that has an ETag. */
export const jsonRead = (schema: z.ZodType, description: string) => ({
  200: {
    description,
    headers: ['ETag', 'Cache-Control'],
    content: { 'application/json': schema },
  } satisfies AnswerDescription,
  304: NOT_MODIFIED,
})

/** The answers of a path that is HTML or JSON by Accept. */
export const negotiatedRead = (
  schema: z.ZodType,
  description: string,
  cached: boolean,
): Record<number, AnswerDescription> => ({
  200: {
    description,
    headers: cached ? ['ETag', 'Cache-Control', 'Vary'] : ['Cache-Control', 'Vary'],
    content: { 'text/html': null, 'application/json': schema },
  },
  ...(cached && { 304: { ...NOT_MODIFIED, headers: ['ETag', 'Cache-Control', 'Vary'] } }),
})

/** The answers of a create: the first one, and the one to a repetition. */
export const creates = (schema: z.ZodType, what: string): Record<number, AnswerDescription> => ({
  201: {
    description: `${what} is published and visible.`,
    headers: ['Location', 'Cache-Control'],
    optionalHeaders: ['RateLimit', 'RateLimit-Policy'],
    content: { 'application/json': schema },
  },
  200: {
    description: 'The Idempotency-Key was used before for the same content: the first answer.',
    headers: ['Location', 'Cache-Control'],
    content: { 'application/json': schema },
  },
})
