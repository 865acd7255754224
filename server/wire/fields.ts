// Zod schemas of the fields that requests and responses share: ids, cursors, labels and addresses.
import { z } from 'zod'
import { addressSchema, MAX_ID } from '../../archive/format/scalars.ts'
import { investigationUrl, messageUrl } from './addresses.ts'
import { ID_RULE } from './query.ts'
import { MAX_LABEL } from './text.ts'

/** The schema of an object with these properties alone, which openapi.json names. */
export const named = <Shape extends z.core.$ZodShape>(id: string, shape: Shape) =>
  z.strictObject(shape).meta({ id })

const BEYOND_DOUBLES =
  'A JSON number that may exceed 2^53: read it with a parser that keeps 64-bit integers whole.'

/** An id in a request or response. parseJson returns a bigint for an integer token only (API.md 1.2). */
export const id = z
  .bigint()
  .min(1n, ID_RULE)
  .max(MAX_ID, ID_RULE)
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

/** A label in a response; empty if none was declared. */
export const label = z
  .string()
  .meta({ maxLength: MAX_LABEL, description: 'Self-declared, unverified.' })

const ANY_ID = '[1-9][0-9]*'

export const messageAddress = addressSchema(`^${messageUrl(ANY_ID)}$`)
export const investigationAddress = addressSchema(`^${investigationUrl(ANY_ID)}$`)
