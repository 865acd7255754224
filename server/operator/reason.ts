// The reason of an action, which its command requires and the record of moderation shows.
import { z } from 'zod'
import { readShape } from '../wire/shape.ts'
import { reason } from '../wire/text.ts'

/** The option of commands that act. */
export const REASON = { reason: { takes: 'R', isRequired: true } } as const

const input = z.strictObject({ reason })

/** @throws Problem for a reason that breaks a rule */
export const readReason = (given: string): string => readShape(input, { reason: given }).reason
