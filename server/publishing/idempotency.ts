// Idempotency keys, each written in the same transaction as the record that it created (API.md 5).
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { stringifyJson } from '../../archive/base/json.ts'
import { DAY_MS } from '../../protocol/index.ts'
import { compiledForEach, compiledUpsert } from '../database/compiled.ts'
import type { Transaction } from '../database/database.ts'
import { Problem } from '../wire/problem.ts'

/** Keys are honoured for 24 hours. */
export const KEY_LIFETIME_MS = DAY_MS

export type Operation = 'directory' | 'message' | 'investigation' | 'contribution'

export interface Created {
  answer: string
  location: string
}

/** An idempotency key with its scope and the request that it was sent with. */
export interface KeyedRequest {
  operation: Operation
  origin: string
  key: string
  request_hash: string
}

/** The syntax of keys for directories, and for everything else (API.md 3.5, 4.6). */
export const DIRECTORY_KEY = /^[!-~]{1,128}$/
export const MESSAGE_KEY = /^[A-Za-z0-9._:-]{1,128}$/

/** Validates the header's value, if there is one. @throws Problem invalid_idempotency_key (API.md 3.5, 4.6) */
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

/** Hashes the content of a request, including path parameters, regardless of the order of its properties. */
export function hashRequest(content: unknown): string {
  return hash('sha256', stringifyJson(sorted(content)))
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

/** The keys of a batch of requests: those used before, and those that the batch adds. */
export type Keys = Awaited<ReturnType<typeof readKeys>>

/** @param now [ms since 1970] */
export async function readKeys(tx: Transaction, requests: readonly KeyedRequest[], now: number) {
  const rows = await findKeys(tx, requests)
  const honoured = rows.filter((row) => row.created_at > BigInt(now - KEY_LIFETIME_MS))
  const used = new Map<string, UsedKey>(honoured.map((row) => [nameOf(row), row]))
  const added: (UsedKey & { created_at: number })[] = []
  return {
    /**
     * Returns the first response to a key, if the key was used in the last 24 hours.
     * @throws Problem idempotency_conflict if it was used for a different request, or its record was erased
     */
    replayOf(request: KeyedRequest): Created | undefined {
      const found = used.get(nameOf(request))
      if (found?.request_hash === FORGOTTEN)
        throw new Problem('idempotency_conflict', 'Idempotency-Key: its message has been erased')
      if (found && found.request_hash !== request.request_hash)
        throw new Problem('idempotency_conflict', 'Idempotency-Key: was used for another request')
      return found
    },
    remember(request: KeyedRequest, { answer, location }: Created): void {
      const row = { ...request, answer, location, created_at: now }
      added.push(row)
      used.set(nameOf(request), row)
    },
    write: (): Promise<void> => insertKeys(tx, added),
  }
}

/** Replaces the hash of a request whose response was forgotten, so that no request matches it. */
const FORGOTTEN = ''

/** Removes the response to the create of an erased record, and the hash of its request (API.md 5.3). */
export async function forgetAnswer(tx: Transaction, location: string): Promise<void> {
  await tx
    .updateTable('idempotency_keys')
    .set({ request_hash: FORGOTTEN, answer: '' })
    .where('location', '=', location)
    .execute()
}

type UsedKey = KeyedRequest & Created

const nameOf = ({ operation, origin, key }: KeyedRequest) => `${operation} ${origin} ${key}`

const findKeys = compiledForEach((db, items: readonly KeyedRequest[]) =>
  db
    .selectFrom('idempotency_keys')
    .select(['operation', 'origin', 'key', 'request_hash', 'answer', 'location', 'created_at'])
    .where(
      sql<boolean>`(operation, origin, key) in (values ${sql.join(
        items.map(({ operation, origin, key }) => sql`(${operation}, ${origin}, ${key})`),
      )})`,
    )
    .$castTo<UsedKey & { created_at: bigint }>(),
)

/** Overwrites an expired key that is not pruned yet. */
const insertKeys = compiledUpsert('idempotency_keys')
