// Declares the shape of a review and the endpoint of the page that lists reviews (API.md 7.3, 7.4).
import { z } from 'zod'
import { OUTCOMES } from '../../archive/format/record-lines.ts'
import { instantSchema } from '../../archive/format/scalars.ts'
import { endpoints, LIST_ERRORS, read } from '../wire/endpoint.ts'
import { id } from '../wire/fields.ts'
import { afterId, beforeId, pageLimit } from '../wire/parameters.ts'
import { MAX_REASON_BYTES } from '../wire/text.ts'
import { MAX_EVIDENCE_BYTES } from './rules.ts'

export const Review = z
  .strictObject({
    id,
    message_id: id,
    outcome: z.enum(OUTCOMES),
    reason: z.string().min(1).max(MAX_REASON_BYTES).nullable(),
    evidence_note: z.string().max(MAX_EVIDENCE_BYTES),
    method_version: z.literal('continuity-1'),
    created_at: instantSchema,
    supersedes_id: id.nullable(),
    reviewer_label: z.literal('human operator'),
  })
  .meta({ id: 'Review', description: "An operator's local assessment of a message." })

export type ReviewRecord = z.output<typeof Review>

export const REVIEWS = endpoints('Investigations', {
  showContinuity: read({
    path: '/continuity',
    cache: 'no-store',
    summary: "The operators' reviews",
    description:
      'All reviews of visible messages, superseded ones marked: newest first, or by ascending id with `after`.',
    parameters: [afterId('this review id'), beforeId('this review id'), pageLimit()],
    errors: LIST_ERRORS,
  }),
})
