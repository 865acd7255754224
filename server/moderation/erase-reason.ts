// Blanks the words of an operator that quote what was taken down: the reason of an action, or of a review (COMMANDS.md 6.4).
import type { Transaction } from 'kysely'
import { logAction } from '../database/records/action-log.ts'
import type { Schema } from '../database/schema/schema.ts'
import { Problem } from '../wire/problem.ts'

/** What has a reason, and why that is blanked. */
interface Blanking {
  id: bigint
  /** Recorded with the action. */
  reason: string
}

/**
 * Blanks the reason of an action; the action stays.
 * @param now [ms since 1970]
 * @returns false, and records nothing, if it was blank before
 * @throws Problem invalid_request
 */
export async function eraseActionReason(
  tx: Transaction<Schema>,
  { id, reason }: Blanking,
  now: number,
): Promise<boolean> {
  const action = await tx
    .selectFrom('moderation_log')
    .select(['act', 'reason'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!action) throw new Problem('invalid_request', `there is no action ${id}`)
  if (action.act === 'review')
    throw new Problem('invalid_request', `action ${id} recorded a review; erase that review`)
  if (action.reason === '') return false
  await tx.updateTable('moderation_log').set({ reason: '' }).where('id', '=', id).execute()
  await logAction(tx, { act: 'erase', target_kind: 'action', target: String(id), reason }, now)
  return true
}

/** As `eraseActionReason`, for a review, whose evidence note and whose action lose their words too. */
export async function eraseReviewReason(
  tx: Transaction<Schema>,
  { id, reason }: Blanking,
  now: number,
): Promise<boolean> {
  const review = await tx
    .selectFrom('reviews')
    .select(['message_id', 'reason', 'evidence_note'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!review) throw new Problem('invalid_request', `there is no review ${id}`)
  if (review.reason === '' && review.evidence_note === '') return false
  await tx
    .updateTable('reviews')
    .set({ reason: '', evidence_note: '' })
    .where('id', '=', id)
    .execute()
  await tx
    .updateTable('moderation_log')
    .set({ reason: '' })
    .where('act', '=', 'review')
    .where('target_kind', '=', 'message')
    .where('target', '=', String(review.message_id))
    .where('reason', '=', review.reason)
    .execute()
  await logAction(tx, { act: 'erase', target_kind: 'review', target: String(id), reason }, now)
  return true
}
