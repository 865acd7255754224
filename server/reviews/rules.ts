// What a review may be (specification, Review): what an operator supplies.
import { z } from 'zod'
import { id } from '../investigations/rules.ts'
import type { ReviewOutcome } from '../store/schema.ts'
import { textOf } from '../wire/text.ts'

export const OUTCOMES = [
  'substantiated',
  'unsupported',
  'withdrawn',
] as const satisfies ReviewOutcome[]

const NOTE_RULE = 'is required, and must not be blank, when the outcome is substantiated'

export const reviewInput = z
  .strictObject({
    message_id: id,
    outcome: z.enum(OUTCOMES),
    reason: textOf(1, 500, 500),
    evidence_note: textOf(0, 2048, 2048).default(''),
  })
  .refine(({ outcome, evidence_note }) => outcome !== 'substantiated' || isSaid(evidence_note), {
    path: ['evidence_note'],
    message: NOTE_RULE,
  })

const isSaid = (note: string): boolean => /\P{White_Space}/u.test(note)

export type ReviewInput = z.output<typeof reviewInput>
