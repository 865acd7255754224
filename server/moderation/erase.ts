// Permanently erases the content of a hidden message. Its leaf is kept, so the records of its day stay valid
// (FORMAT.md 20.5).
import type { Transaction } from 'kysely'
import { authoredOf } from '../board/author-fields.ts'
import { erasureOf } from '../data/recorded.ts'
import { logAction } from '../database/records/action-log.ts'
import type { Schema } from '../database/schema/schema.ts'
import { forgetAnswer } from '../publishing/idempotency.ts'
import { investigationUrl, messageUrl } from '../wire/addresses.ts'
import { noRecord, Problem } from '../wire/problem.ts'

export interface Erasure {
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
  tx: Transaction<Schema>,
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
async function removeContent(tx: Transaction<Schema>, id: bigint): Promise<void> {
  await tx
    .updateTable('messages')
    .set({ body: '', body_hash: '', body_bytes: 0, salt: '', ...authoredOf({}) })
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

async function isErased(tx: Transaction<Schema>, id: bigint): Promise<boolean> {
  const erasure = await tx
    .selectFrom('erasures')
    .select('message_id')
    .where('message_id', '=', id)
    .executeTakeFirst()
  return erasure !== undefined
}

/** @throws Problem invalid_request for an erased message, which has no text to show */
export async function requireNotErased(tx: Transaction<Schema>, id: bigint): Promise<void> {
  if (await isErased(tx, id))
    throw new Problem('invalid_request', `the text of message ${id} was erased`)
}
