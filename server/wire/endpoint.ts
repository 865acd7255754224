// How a feature declares an endpoint: once, in its api.ts. Routes attach handlers to the declaration, and openapi.json is
// derived from it.
import type { z } from 'zod'
import { idempotencyKey, ifNoneMatch, type Parameter } from './parameters.ts'
import type { ErrorCode } from './problem.ts'

/** What an answer is, and so what an error at this address looks like: data, an HTML page, or either by Accept. */
export type Representation = 'data' | 'page' | 'negotiated'

/**
 * How caches may keep a successful read. `revalidate`: they keep it, and ask again each time by its ETag. `no-store`:
 * they do not keep it, and it has no ETag. `immutable`: the bytes at this address never change.
 */
export type CachePolicy = 'revalidate' | 'no-store' | 'immutable'

/** The header fields that openapi.json describes. */
export type HeaderName =
  | 'Location'
  | 'Cache-Control'
  | 'ETag'
  | 'Vary'
  | 'Content-Encoding'
  | 'Link'
  | 'Allow'
  | 'Retry-After'
  | 'RateLimit'
  | 'RateLimit-Policy'
  | 'Accept-Ranges'
  | 'Content-Range'
  | 'Repr-Digest'

/** A success, by status. */
export interface AnswerDescription {
  description: string
  /** Always sent. */
  headers: readonly HeaderName[]
  /** Sent in some cases. */
  optionalHeaders?: readonly HeaderName[]
  /** Media type -> the schema of its JSON, or null for any text or bytes. */
  content?: Record<string, z.ZodType | null>
}

/** What an api.ts declares of an endpoint; its key there is the operation id. */
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
  /** Every code that it can answer; method_not_allowed goes without saying. */
  errors: readonly ErrorCode[]
}

export type Tag = 'Board' | 'Investigations' | 'Transmissions' | 'Service'

export interface Endpoint extends Declaration {
  id: string
  tag: Tag
}

/** `/d/**:path` and `/messages/:id.json` as people write them: `/d/{path}` and `/messages/{id}.json`. */
export const pathTemplate = (path: string): string =>
  path.replace('**', '').replace(/:([a-z]+)/g, '{$1}')

/** A feature's endpoints by operation id, in the order in which openapi.json lists them. */
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

/** What any answer may come to. */
const ANY_ERRORS = ['invalid_request', 'internal_error'] as const

const READ_ERRORS = [...ANY_ERRORS, 'storage_unavailable'] as const

/** What any publication may come to, apart from the rules of its own fields. */
const WRITE_ERRORS = [
  ...READ_ERRORS,
  'invalid_json',
  'invalid_idempotency_key',
  'idempotency_conflict',
  'request_too_large',
  'unsupported_media_type',
  'rate_limited',
  'read_only',
  'feature_disabled',
] as const

/** What the cursor and the page size of a list may come to. */
export const LIST_ERRORS = ['invalid_cursor', 'invalid_limit'] as const

/** A success of a read: its description, and its schema or its media type. */
interface ReadAnswer {
  description: string
  /** JSON of this shape; a negotiated address has HTML as well. */
  schema?: z.ZodType
  /** Media types of what is not JSON. */
  types?: readonly string[]
  optionalHeaders?: readonly HeaderName[]
}

type Read = Pick<Declaration, 'path' | 'summary' | 'description' | 'representation'> & {
  cache?: CachePolicy
  parameters?: readonly Parameter[]
  answer: ReadAnswer
  errors?: readonly ErrorCode[]
}

/** A read that asks the database or the archive. */
export const read = ({ errors = [], ...rest }: Read): Declaration =>
  fixed({ ...rest, errors: [...READ_ERRORS, ...errors] })

/** A read of what is the same for everybody and needs neither database nor archive. */
export function fixed(given: Read): Declaration {
  const { answer, parameters = [], errors = ANY_ERRORS, cache = 'revalidate', ...rest } = given
  const revalidates = cache !== 'no-store'
  return {
    ...rest,
    method: 'GET',
    cache,
    parameters: revalidates ? [...parameters, ifNoneMatch] : parameters,
    answers: readAnswers(answer, rest.representation, revalidates),
    // What has an ETag heeds If-Match.
    errors: revalidates ? [...errors, 'precondition_failed'] : errors,
  }
}

/** Media types of what is sent compressed to those who ask for it (API.md 2.4). */
export const COMPRESSED_TYPES: readonly string[] = [
  'application/json',
  'text/html',
  'application/atom+xml',
]

function readAnswers(
  { description, schema, types = [], optionalHeaders = [] }: ReadAnswer,
  representation: Representation,
  revalidates: boolean,
): Record<number, AnswerDescription> {
  const headers: HeaderName[] = [
    ...(revalidates ? (['ETag'] as const) : []),
    'Cache-Control',
    ...(representation === 'negotiated' ? (['Vary'] as const) : []),
  ]
  const all = representation === 'data' ? types : ['text/html', ...types]
  const content = {
    ...Object.fromEntries(all.map((type) => [type, null])),
    ...(schema && { 'application/json': schema }),
  }
  const isCompressed = Object.keys(content).some((type) => COMPRESSED_TYPES.includes(type))
  const ofCoding = (['Vary', 'Content-Encoding'] as const).filter((name) => !headers.includes(name))
  const sent = { headers, optionalHeaders: [...optionalHeaders, ...(isCompressed ? ofCoding : [])] }
  return {
    200: { description, ...sent, content },
    ...(revalidates && { 304: { description: NOT_MODIFIED, ...sent } }),
  }
}

export const NOT_MODIFIED = 'The copy that If-None-Match names is current.'

/** A create: 201 with the record, or 200 with the first answer to the same key. */
export function creates(
  given: Pick<Declaration, 'path' | 'summary' | 'description'> & {
    parameters?: readonly Parameter[]
    /** What the Idempotency-Key may be, as a pattern. */
    key: RegExp
    request: z.ZodType
    /** The record, with an article: `The message`. */
    what: string
    answer: z.ZodType
    errors: readonly ErrorCode[]
  },
): Declaration {
  const { key, what, answer, errors, parameters = [], ...rest } = given
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
        optionalHeaders: ['RateLimit', 'RateLimit-Policy'],
        content,
      },
      200: {
        description: 'The Idempotency-Key was used before for the same content: the first answer.',
        headers,
        content,
      },
    },
    errors: [...WRITE_ERRORS, ...errors],
  }
}
