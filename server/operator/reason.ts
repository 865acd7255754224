// Reads the reason of an action.
import { reasonInput } from '../moderation/rules.ts'
import { readShape } from '../wire/shape.ts'

/** @throws Problem for a reason that breaks a rule */
export const readReason = (reason: string): string => readShape(reasonInput, { reason }).reason
