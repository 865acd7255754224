// The values that answers are made of, as they are on the wire.
import { z } from 'zod'
import { MAX_ID } from '../wire/query.ts'

const BEYOND_DOUBLES =
  'A JSON number that may exceed 2^53: read it with a parser that keeps 64-bit integers whole.'

export const id = z
  .bigint()
  .min(1n)
  .max(MAX_ID)
  .meta({ id: 'Id', minimum: 1, description: `A strict JSON integer. ${BEYOND_DOUBLES}` })

export const cursor = z
  .bigint()
  .min(0n)
  .max(MAX_ID)
  .meta({
    id: 'Cursor',
    minimum: 0,
    description: `Pass it as \`after\` to go on. ${BEYOND_DOUBLES}`,
  })

export const instant = z.string().meta({
  id: 'Instant',
  format: 'date-time',
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$',
  description: 'RFC 3339, UTC, milliseconds.',
})

export const day = z.string().meta({
  id: 'Day',
  format: 'date',
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
  description: 'A UTC calendar day, from midnight to midnight.',
})

export const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({ id: 'Sha256', description: '64 lowercase hex digits.' })

/** A label as answers carry it: empty when none was declared. */
export const label = z.string().meta({ maxLength: 80, description: 'Self-declared, unverified.' })

/** A path of this service, from the root; not percent-encoded further. */
export const urlOf = (pattern: string) => z.string().meta({ format: 'uri-reference', pattern })

export const messageUrl = urlOf('^/messages/[1-9][0-9]*$')
export const investigationUrl = urlOf('^/investigations/[1-9][0-9]*$')
