// Declares endpoints. A feature declares each of its endpoints once, in its api.ts; routes attach handlers to the
// declaration, and openapi.json is generated from it.
import type { z } from 'zod'
import type { HeaderName } from './headers.ts'
import { idempotencyKey, ifNoneMatch, type Parameter } from './parameters.ts'
import type { ErrorCode } from './problem.ts'

/** The form of an endpoint's responses, errors included: data, an HTML page, or either of them by Accept. */
export type Representation = 'data' | 'page' | 'negotiated'

/**
 * How caches may store a successful read. `revalidate`: stored, and revalidated by ETag at each use. `no-store`: not
 * stored, without an ETag. `immutable`: stored for good, since the bytes at this URL never change.
 */
export type CachePolicy = 'revalidate' | 'no-store' | 'immutable'

export interface AnswerDescription {
  description: string
  /** Always sent. */
  headers: readonly HeaderName[]
  /** Sent in some cases. */
  optionalHeaders?: readonly HeaderName[]
  /** Media type -> the schema of its JSON, or null for any text or bytes. */
  content?: Record<string, z.ZodType | null>
}

/** An endpoint as an api.ts declares it; its key there is the operation id. */
export interface Declaration {
  method: 'GET' | 'POST'
  /** In the router's notation: `/messages/:id`, `/d/**:path`. */
  path: string
  representation: Representation
  cache: CachePolicy
  summary: string
  description?: string
  parameters: readonly Parameter[]
  request?: z.ZodType
  answers: Record<number, AnswerDescription>
  /** Every error code that it can return, apart from method_not_allowed. */
  errors: readonly ErrorCode[]
}

export type Tag = 'Board' | 'Investigations' | 'Transmissions' | 'Service'

export interface Endpoint extends Declaration {
  id: string
  tag: Tag
}

/** Converts a router path to a URI template, such as `/d/**:path` to `/d/{path}`. */
export const pathTemplate = (path: string): string =>
  path.replace('**', '').replace(/:([a-z]+)/g, '{$1}')

/** Returns a feature's endpoints by operation id, in the order in which openapi.json lists them. */
export function endpoints<Id extends string>(
  tag: Tag,
  declarations: Record<Id, Declaration>,
): Record<Id, Endpoint> {
  const named = Object.entries<Declaration>(declarations).map(([id, declaration]) => [
    id,
    { id, tag, ...declaration },
  ])
  return Object.fromEntries(named) as Record<Id, Endpoint>
}

const ANY_ERRORS = ['invalid_request', 'internal_error'] as const

const READ_ERRORS = [...ANY_ERRORS, 'storage_unavailable'] as const

/** Errors that every create may return, besides those of its own fields. */
const WRITE_ERRORS = [
  ...READ_ERRORS,
  'invalid_json',
  'invalid_idempotency_key',
  'idempotency_conflict',
  'request_too_large',
  'unsupported_media_type',
  'not_implemented',
  'rate_limited',
  'read_only',
  'feature_disabled',
] as const

export const LIST_ERRORS = ['invalid_cursor', 'invalid_limit'] as const

interface ReadAnswer extends Pick<AnswerDescription, 'description' | 'optionalHeaders'> {
  /** The schema of its JSON; a negotiated endpoint also returns HTML. */
  schema?: z.ZodType
  /** Media types other than JSON. */
  types?: readonly string[]
  /** Always sent, besides those of every read. */
  headers?: readonly HeaderName[]
}

const PAGE: ReadAnswer = { description: 'The page.' }

type Read = Pick<Declaration, 'path' | 'summary' | 'description'> & {
  /** By default data, or a page if there is no answer. */
  representation?: Representation
  cache?: CachePolicy
  parameters?: readonly Parameter[]
  answer?: ReadAnswer
  errors?: readonly ErrorCode[]
}

/** Declares a read that uses the database or the archive. */
export const read = ({ errors = [], ...rest }: Read): Declaration =>
  fixed({ ...rest, errors: [...READ_ERRORS, ...errors] })

/** Declares a read that needs neither database nor archive, such as a static page. */
export function fixed(spec: Read): Declaration {
  const { answer = PAGE, parameters = [], errors = ANY_ERRORS, ...more } = spec
  const { representation = answer === PAGE ? 'page' : 'data', cache = 'revalidate', ...rest } = more
  const revalidates = cache !== 'no-store'
  return {
    ...rest,
    representation,
    method: 'GET',
    cache,
    parameters: revalidates ? [...parameters, ifNoneMatch] : parameters,
    answers: readAnswers(answer, representation, revalidates),
    // A read with an ETag evaluates If-Match.
    errors: revalidates ? [...errors, 'precondition_failed'] : errors,
  }
}

/** Media types that are compressed for clients that accept it (API.md 2.4). */
export const COMPRESSED_TYPES: readonly string[] = [
  'application/json',
  'application/x-ndjson',
  'text/html',
  'application/atom+xml',
  'application/rss+xml',
  'application/xml',
]

function readAnswers(
  { description, schema, types = [], headers: more = [], optionalHeaders = [] }: ReadAnswer,
  representation: Representation,
  revalidates: boolean,
): Record<number, AnswerDescription> {
  const headers: HeaderName[] = [
    ...(revalidates ? (['ETag'] as const) : []),
    'Cache-Control',
    ...(representation === 'negotiated' ? (['Vary'] as const) : []),
    ...more,
  ]
  const all = representation === 'data' ? types : ['text/html', ...types]
  const content = {
    ...Object.fromEntries(all.map((type) => [type, null])),
    ...(schema && { 'application/json': schema }),
  }
  const isCompressed = Object.keys(content).some((type) => COMPRESSED_TYPES.includes(type))
  const coding = (['Vary', 'Content-Encoding'] as const).filter((name) => !headers.includes(name))
  const fields = { headers, optionalHeaders: [...optionalHeaders, ...(isCompressed ? coding : [])] }
  return {
    200: { description, ...fields, content },
    ...(revalidates && { 304: { description: NOT_MODIFIED, ...fields } }),
  }
}

export const NOT_MODIFIED = 'The copy that If-None-Match names is current.'

/** Declares a create: 201 with the record, or 200 with the first response to the same key. */
export function creates(
  spec: Pick<Declaration, 'path' | 'summary' | 'description'> & {
    parameters?: readonly Parameter[]
    key: RegExp
    request: z.ZodType
    /** The record, with an article: `The message`. */
    what: string
    answer: z.ZodType
    /** Sent in some cases. */
    optionalHeaders?: readonly HeaderName[]
    errors: readonly ErrorCode[]
  },
): Declaration {
  const { key, what, answer, optionalHeaders = [], errors, parameters = [], ...rest } = spec
  const content = { 'application/json': answer }
  const headers = ['Location', 'Cache-Control'] as const
  return {
    ...rest,
    method: 'POST',
    representation: 'data',
    cache: 'no-store',
    parameters: [...parameters, idempotencyKey(key)],
    answers: {
      201: {
        description: `${what} is published and visible.`,
        headers,
        optionalHeaders: ['RateLimit', 'RateLimit-Policy', ...optionalHeaders],
        content,
      },
      200: {
        description: 'The Idempotency-Key was used before for the same content: the first answer.',
        headers,
        optionalHeaders,
        content,
      },
    },
    errors: [...WRITE_ERRORS, ...errors],
  }
}
