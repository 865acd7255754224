// Builds the OpenAPI error responses of an endpoint: one per status, with the codes that it can have.
import { z } from 'zod'
import type { Endpoint, HeaderName } from '../wire/endpoint.ts'
import { ERROR_STATUS, type ErrorCode } from '../wire/problem.ts'
import { headerObjects } from './headers.ts'

const ERROR_HEADERS: Record<number, { always?: HeaderName[]; sometimes?: HeaderName[] }> = {
  405: { always: ['Allow'] },
  416: { always: ['Content-Range'] },
  429: { always: ['Retry-After', 'RateLimit', 'RateLimit-Policy'] },
  503: { sometimes: ['Retry-After'] },
}

const DESCRIPTIONS: Record<number, string> = {
  400: 'The request breaks a rule that the message names.',
  404: 'Missing or hidden.',
  405: 'This address does not have the method.',
  409: 'Conflicts with an existing record or key.',
  412: 'If-Match names another version.',
  413: 'Larger than the limit.',
  415: 'Not application/json in UTF-8 without content coding.',
  416: 'The range lies outside the file.',
  429: 'A rate limit or the shared publication quota is used up until its window ends.',
  500: 'Unexpected. No internal details.',
  501: 'The body has a transfer coding other than chunked.',
  503: 'Read-only, switched off, overloaded, or the storage cannot answer.',
}

const codes = Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]

const ENVELOPE_ID = 'Error'

/** The error envelope of the specification, registered under the id by which responses refer to it. */
z.strictObject({ error: z.strictObject({ code: z.enum(codes), message: z.string().min(1) }) }).meta(
  { id: ENVELOPE_ID, description: 'The message names the field and the rule.' },
)

/** A response that several endpoints share, with the name by which they refer to it. */
export interface NamedResponse {
  name: string
  status: number
  response: object
}

/** Returns the error responses of an endpoint. */
export function errorResponses({ errors, representation }: Endpoint): NamedResponse[] {
  const byStatus = Map.groupBy(
    new Set<ErrorCode>([...errors, 'method_not_allowed']),
    (code) => ERROR_STATUS[code],
  )
  return [...byStatus].map(([status, all]) => {
    const sorted = all.toSorted()
    const kind = representation === 'data' ? [] : [representation]
    const { always = [], sometimes = [] } = ERROR_HEADERS[status] ?? {}
    const vary: HeaderName[] = representation === 'negotiated' ? ['Vary'] : []
    return {
      name: [...sorted, ...kind].join('.'),
      status,
      response: {
        description: `${DESCRIPTIONS[status]} Codes: ${sorted.join(', ')}.`,
        headers: headerObjects(['Cache-Control', ...vary, ...always], sometimes),
        content: {
          ...(representation !== 'page' && {
            'application/json': { schema: envelopeOf(sorted) },
          }),
          ...(representation !== 'data' && { 'text/html': {} }),
        },
      },
    }
  })
}

const envelopeOf = (allowed: ErrorCode[]) => ({
  allOf: [{ $ref: `#/components/schemas/${ENVELOPE_ID}` }],
  properties: { error: { properties: { code: { enum: allowed } } } },
})
