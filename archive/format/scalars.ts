// Schemas of the scalars in snapshots, manifests and lists. Each states its rule as the error message.
import * as z from 'zod'
import { LARGEST_COUNTER } from '../../protocol/index.ts'
import { DAY_PATTERN, isDay } from './calendar.ts'
import { isSha256, SHA256_PATTERN } from './paths.ts'

/**
 * A string that passes a test. After a failure, rules between properties are not checked.
 * @param rule the error message
 */
export const text = (rule: string, test: (text: string) => boolean) =>
  z.string(rule).refine(test, { error: rule, abort: true })

export const daySchema = text('must be a date YYYY-MM-DD', isDay).meta({
  id: 'Day',
  format: 'date',
  pattern: DAY_PATTERN,
  description: 'A UTC calendar day, from midnight to midnight.',
})

const INSTANT = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$/

export const instantSchema = text('must be a time like 2026-11-19T00:00:00.000Z', isInstant).meta({
  id: 'Instant',
  format: 'date-time',
  pattern: INSTANT.source,
  description: 'RFC 3339, UTC, milliseconds.',
})

export const sha256Schema = text('must be a SHA-256 in 64 lowercase hex digits', isSha256).meta({
  id: 'Sha256',
  pattern: SHA256_PATTERN,
  description: '64 lowercase hex digits.',
})

/** The largest id of a record, which databases store as a signed 64-bit integer. */
export const MAX_ID = 2n ** 63n - 1n

const SALT = /^[0-9a-f]{32}$/

/** Whether the text is the salt of a message: 16 bytes as lowercase hex digits. */
export function isSalt(text: string): boolean {
  return SALT.test(text)
}

const COUNTER = /^(?:0|[1-9][0-9]{0,19})$/
const COUNTER_RULE = `must be a canonical decimal from 0 to ${LARGEST_COUNTER}`

/** An unsigned 64-bit count in decimal. */
export const counterSchema = z
  .string(COUNTER_RULE)
  .regex(COUNTER, { error: COUNTER_RULE, abort: true })
  .refine((text) => BigInt(text) <= LARGEST_COUNTER, { error: COUNTER_RULE, abort: true })

/** An absolute path on the service that needs no percent-encoding. */
export const addressSchema = (pattern: string) =>
  z.string('must be a string').meta({ format: 'uri-reference', pattern })

/** Formats an instant [ms since 1970] like `2026-11-19T00:00:00.000Z`. */
export const rfc3339 = (ms: number): string => new Date(ms).toISOString()

/** Whether the text is a time in the form `2026-11-19T00:00:00.000Z`. */
export function isInstant(value: string): boolean {
  const ms = INSTANT.test(value) ? Date.parse(value) : Number.NaN
  return !Number.isNaN(ms) && rfc3339(ms) === value
}
