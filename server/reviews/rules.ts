// The validation rules of the review that an operator supplies (specification, Review).
import { z } from 'zod'
import { OUTCOMES } from '../../archive/format/record-lines.ts'
import { id } from '../wire/fields.ts'
import { isNotBlank, reason, textWithin } from '../wire/text.ts'

/** Length of an evidence note [UTF-8 bytes]. */
export const MAX_EVIDENCE_BYTES = 2048

export const reviewInput = z
  .strictObject({
    message_id: id,
    outcome: z.enum(OUTCOMES),
    reason,
    evidence_note: textWithin({
      lines: 'many',
      max: MAX_EVIDENCE_BYTES,
      maxBytes: MAX_EVIDENCE_BYTES,
      mayBeBlank: true,
    }).default(''),
  })
  .refine(
    ({ outcome, evidence_note }) => outcome !== 'substantiated' || isNotBlank(evidence_note),
    {
      path: ['evidence_note'],
      message: 'is required, and must not be blank, when the outcome is substantiated',
    },
  )

export type ReviewInput = z.output<typeof reviewInput>
