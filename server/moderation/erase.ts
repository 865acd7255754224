// Permanently erases the text of a hidden message. Its hash remains, so the records of its day stay valid
// (FORMAT.md 20.5).
import type { Transaction } from 'kysely'
import { logAction } from '../store/action-log.ts'
import type { Schema } from '../store/schema.ts'
import { Problem } from '../wire/problem.ts'

export interface Erasure {
  id: bigint
  /** Recorded in the moderation log. */
  reason: string
}

/**
 * Erases the text of a message that is itself hidden, not only its directory or investigation.
 * @param now [ms since 1970]
 * @returns false, and logs nothing, if the text was erased before
 * @throws Problem message_not_found; invalid_request when the message is not hidden
 */
export async function eraseMessage(
  tx: Transaction<Schema>,
  { id, reason }: Erasure,
  now: number,
): Promise<boolean> {
  const message = await tx
    .selectFrom('messages')
    .select(['hidden', 'body'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!message) throw new Problem('message_not_found', `there is no message ${id}`)
  if (message.hidden !== 1n)
    throw new Problem('invalid_request', `message ${id} is not hidden; hide it before erasing it`)
  if (message.body === '') return false
  await tx.updateTable('messages').set({ body: '' }).where('id', '=', id).execute()
  await logAction(tx, { act: 'erase', target_kind: 'message', target: String(id), reason }, now)
  return true
}

/** @throws Problem invalid_request for an erased message, which has no text to show */
export async function requireNotErased(tx: Transaction<Schema>, id: bigint): Promise<void> {
  const message = await tx
    .selectFrom('messages')
    .select('id')
    .where('id', '=', id)
    .where('body', '=', '')
    .executeTakeFirst()
  if (message) throw new Problem('invalid_request', `the text of message ${id} was erased`)
}
