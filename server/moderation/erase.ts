// Permanently erases the content of a hidden message, whose leaf is kept, so the records of its day stay valid (FORMAT.md 18.5),
// and the words of an operator that quote it: the reason of an action, or of a review.
import { erasureOf } from '../data/recorded.ts'
import type { Transaction } from '../database/database.ts'
import { logAction } from '../database/records/action-log.ts'
import { forgetMessage } from '../database/words/messages.ts'
import { forgetAnswer } from '../publishing/idempotency.ts'
import { investigationUrl, messageUrl } from '../wire/addresses.ts'
import { noRecord, Problem } from '../wire/problem.ts'

interface Erasure {
  id: bigint
  /** Recorded in the log of actions. */
  reason: string
}

/**
 * Erases the content of a message that is itself hidden, not only its directory or investigation.
 * @param now [ms since 1970]
 * @returns false, and logs nothing, if it was erased before
 * @throws Problem message_not_found; invalid_request when the message is not hidden
 */
export async function eraseMessage(
  tx: Transaction,
  { id, reason }: Erasure,
  now: number,
): Promise<boolean> {
  const message = await tx
    .selectFrom('messages')
    .select('hidden')
    .where('id', '=', id)
    .executeTakeFirst()
  if (!message) throw noRecord('message', id)
  if (message.hidden !== 1n)
    throw new Problem('invalid_request', `message ${id} is not hidden; hide it before erasing it`)
  if (await isErased(tx, id)) return false
  await tx
    .insertInto('erasures')
    .values(await erasureOf(tx, id))
    .execute()
  await removeContent(tx, id)
  await logAction(tx, { act: 'erase', target_kind: 'message', target: String(id), reason }, now)
  return true
}

/** Removes everything that its author wrote, and whatever it could be guessed from. */
async function removeContent(tx: Transaction, id: bigint): Promise<void> {
  await forgetMessage(tx, id)
  await tx
    .updateTable('messages')
    .set({ body: '', body_hash: '', body_bytes: 0, salt: '', author_label: '' })
    .where('id', '=', id)
    .execute()
  await tx
    .updateTable('entries')
    .set({ sources: '[]', source_count: 0, links: '[]' })
    .where('message_id', '=', id)
    .execute()
  await tx.deleteFrom('links').where('message_id', '=', id).execute()
  await tx.deleteFrom('mentions').where('message_id', '=', id).execute()
  const asked = await tx
    .updateTable('investigations')
    .set({ title: '' })
    .where('root_message_id', '=', id)
    .returning('id')
    .executeTakeFirst()
  await forgetAnswer(tx, asked ? investigationUrl(asked.id) : messageUrl(id))
}

export async function isErased(tx: Transaction, id: bigint): Promise<boolean> {
  const erasure = await tx
    .selectFrom('erasures')
    .select('message_id')
    .where('message_id', '=', id)
    .executeTakeFirst()
  return erasure !== undefined
}

/**
 * Blanks the reason of an action; the action stays.
 * @param now [ms since 1970]
 * @returns false, and records nothing, if it was blank before
 * @throws Problem invalid_request
 */
export async function eraseActionReason(
  tx: Transaction,
  { id, reason }: Erasure,
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
  tx: Transaction,
  { id, reason }: Erasure,
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
