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

const TEXT = { type: 'string' }

/** Describes a parameter that may be left out. @param schema JSON Schema */
const optionalIn =
  (place: 'query' | 'header') =>
  (name: string, description: string, schema: object = TEXT): Parameter => ({
    name,
    in: place,
    description,
    schema,
  })

export const inQuery = optionalIn('query')
export const inHeader = optionalIn('header')

export const inPath = (name: string, description: string, schema: object): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
})

export const DATE = { type: 'string', format: 'date' }
export const ID = { type: 'integer', format: 'int64', minimum: 1, maximum: MAX_ID }

/** @param what the record that the id names, with an article, such as "The message" */
export const pathId = (what: string) => inPath('id', `${what}, a canonical decimal.`, ID)

export const afterId = (what: string) =>
  inQuery('after', `Only records after ${what}. 0, the default, starts at the first.`, {
    ...ID,
    minimum: 0,
    default: 0,
  })

export const beforeId = (what: string, name = 'before') =>
  inQuery(name, `Only records before ${what}, newest first (HTML only).`, ID)

export const pageLimit = (byDefault = PAGE_SIZE) =>
  inQuery('limit', 'Records on a page.', {
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    default: byDefault,
  })

export const ifNoneMatch = inHeader(
  'If-None-Match',
  'An ETag from an earlier response; the response is 304 while it is current.',
)

export const idempotencyKey = (pattern: RegExp) =>
  inHeader(
    'Idempotency-Key',
    'Makes retries safe: for 24 hours, the same key with the same content from the same source returns 200 with the first response, and with different content 409.',
    { type: 'string', minLength: 1, maxLength: 128, pattern: pattern.source },
  )
