// Idempotency keys: a row written in the same transaction as its effect (decisions.md section 5).
import { createHash } from 'node:crypto'
import type { Transaction } from 'kysely'
import type { Schema } from '../store/schema.ts'
import { stringifyJson } from '../wire/json.ts'
import { Problem } from '../wire/problem.ts'

/** Keys are honoured for 24 hours. */
export const KEY_LIFETIME_MS = 24 * 60 * 60 * 1000

export type Operation = 'directory' | 'message' | 'investigation' | 'contribution'

/** What a create answers: the JSON body's text, and where the record is. */
export interface Created {
  answer: string
  location: string
}

/** Whose key it is, and for which request. */
export interface KeyedRequest {
  operation: Operation
  origin: string
  key: string
  /** From hashRequest. */
  requestHash: string
}

/** What a key may be, for a directory and for everything else (API.md 3.5, 4.6). */
export const DIRECTORY_KEY = /^[!-~]{1,128}$/
export const MESSAGE_KEY = /^[A-Za-z0-9._:-]{1,128}$/

/** @throws Problem unless the header's value, where there is one, is a key that the operation accepts (3.5, 4.6) */
export function readKey(key: string | undefined, operation: Operation): string | undefined {
  if (key === undefined) return undefined
  const [syntax, rule] =
    operation === 'directory'
      ? [DIRECTORY_KEY, 'visible ASCII characters']
      : [MESSAGE_KEY, 'characters from A-Z a-z 0-9 . _ : -']
  if (!syntax.test(key))
    throw new Problem('invalid_idempotency_key', `Idempotency-Key: must be 1 to 128 ${rule}`)
  return key
}

/** Two requests are the same when their parsed content is, with what the path names. */
export function hashRequest(content: unknown): string {
  return createHash('sha256')
    .update(stringifyJson(sorted(content)))
    .digest('hex')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  )
}

/**
 * The first answer to this key, if there is one that is younger than 24 hours.
 * @throws Problem idempotency_conflict when the key was used for another request
 */
export async function findReplay(
  tx: Transaction<Schema>,
  request: KeyedRequest,
  now: number,
): Promise<Created | undefined> {
  const row = await tx
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'answer', 'location'])
    .where('operation', '=', request.operation)
    .where('origin', '=', request.origin)
    .where('key', '=', request.key)
    .where('created_at', '>', BigInt(now - KEY_LIFETIME_MS))
    .executeTakeFirst()
  if (row === undefined) return undefined
  if (row.request_hash !== request.requestHash)
    throw new Problem('idempotency_conflict', 'Idempotency-Key: was used for another request')
  return { answer: row.answer, location: row.location }
}

/** Remembers the first answer, in place of one that has expired. */
export async function rememberKey(
  tx: Transaction<Schema>,
  request: KeyedRequest,
  created: Created,
  now: number,
): Promise<void> {
  const values = {
    request_hash: request.requestHash,
    answer: created.answer,
    location: created.location,
    created_at: now,
  }
  await tx
    .insertInto('idempotency_keys')
    .values({ operation: request.operation, origin: request.origin, key: request.key, ...values })
    .onConflict((conflict) => conflict.columns(['operation', 'origin', 'key']).doUpdateSet(values))
    .execute()
}
