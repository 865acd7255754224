// Declarations of the request parameters that several endpoints share.
import { MAX_ID } from '../../archive/format/scalars.ts'
import { MAX_LIMIT, PAGE_SIZE } from './query.ts'

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  description: string
  /** JSON Schema. */
  schema: object
  required?: true
}

/** @param what the record that the id names, with an article, such as "The message" */
export const pathId = (what: string): Parameter => ({
  name: 'id',
  in: 'path',
  required: true,
  description: `${what}, a canonical decimal.`,
  schema: { type: 'integer', format: 'int64', minimum: 1, maximum: MAX_ID },
})

export const afterId = (what: string): Parameter => ({
  name: 'after',
  in: 'query',
  description: `Only records after ${what}. 0, the default, starts at the first.`,
  schema: { type: 'integer', format: 'int64', minimum: 0, maximum: MAX_ID, default: 0 },
})

/** The cursor of HTML pages that list the newest records first. */
export const beforeId = (what: string, name = 'before'): Parameter => ({
  name,
  in: 'query',
  description: `Only records before ${what}, newest first (HTML only).`,
  schema: { type: 'integer', format: 'int64', minimum: 1, maximum: MAX_ID },
})

export const pageLimit = (byDefault = PAGE_SIZE): Parameter => ({
  name: 'limit',
  in: 'query',
  description: 'Records on a page.',
  schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: byDefault },
})

export const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'An ETag from an earlier response; the response is 304 while it is current.',
  schema: { type: 'string' },
}

/** @param pattern the pattern of a valid key */
export const idempotencyKey = (pattern: RegExp): Parameter => ({
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes retries safe: for 24 hours, the same key with the same content from the same source returns 200 with the first response, and with different content 409.',
  schema: { type: 'string', minLength: 1, maxLength: 128, pattern: pattern.source },
})
