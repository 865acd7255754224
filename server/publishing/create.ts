// The one path of all four creates: checks in the order of decisions.md 1.3, then one transaction.
import type { Transaction } from 'kysely'
import { type Answer, textHeaders } from '../http/answer.ts'
import { readJson } from '../http/body.ts'
import type { Call } from '../http/call.ts'
import type { Queryable, Store } from '../store/database.ts'
import type { Schema } from '../store/schema.ts'
import { stringifyJson } from '../wire/json.ts'
import {
  type Created,
  findReplay,
  hashRequest,
  type Operation,
  readKey,
  rememberKey,
} from './idempotency.ts'
import { type LimitName, type Quotas, takeQuota } from './limits.ts'

export type WriteFeature = 'directories' | 'messages' | 'investigations'

/** What the creates share. */
export interface WriteDeps {
  store: Store
  quotas: Quotas
  /** Wall time, ms since 1970. */
  now(): number
  /** Throws a Problem while the mode or the feature refuses writes, as `db` sees it. */
  admitWrite(feature: WriteFeature, db: Queryable): Promise<void>
  /** The keyed hash of where a request comes from. */
  originOf(call: Call): string
}

/** One kind of create; `Input` is the parsed content of its request. */
export interface Creation<Input> {
  operation: Operation
  feature: WriteFeature
  limits: readonly LimitName[]
  /** Body, and what the path names -> content. @throws Problem on a broken rule */
  read(json: unknown): Input
  /** Checks existence and writes the record. @throws Problem when something it needs is not there */
  publish(
    tx: Transaction<Schema>,
    input: Input,
    receivedAt: number,
  ): Promise<{ record: object; location: string }>
}

/** Answers 201 with a new record, or 200 with the first answer to the same key. */
export async function create<Input>(
  deps: WriteDeps,
  call: Call,
  creation: Creation<Input>,
): Promise<Answer> {
  const receivedAt = deps.now()
  await deps.admitWrite(creation.feature, deps.store.db)
  const input = creation.read(await readJson(call))
  const key = readKey(call.header('idempotency-key'), creation.operation)
  const origin = deps.originOf(call)
  const requestHash = hashRequest(input)
  const keyed =
    key === undefined ? undefined : { operation: creation.operation, origin, key, requestHash }

  return deps.store.write(async (tx) => {
    // Asked again: the body may have taken its time, and the operator's switch holds from its commit on.
    await deps.admitWrite(creation.feature, tx)
    const now = deps.now()
    const replay = keyed && (await findReplay(tx, keyed, now))
    if (replay) return answerCreated(200, replay, {})
    const rateLimit = await takeQuota(tx, creation.limits, deps.quotas, origin, now)
    const { record, location } = await creation.publish(tx, input, receivedAt)
    const created = { answer: stringifyJson(record), location }
    if (keyed) await rememberKey(tx, keyed, created, now)
    return answerCreated(201, created, rateLimit)
  })
}

function answerCreated(
  status: 200 | 201,
  { answer, location }: Created,
  headers: Record<string, string>,
): Answer {
  return {
    status,
    headers: [
      ...textHeaders('json', 'no-store'),
      'Location',
      location,
      ...Object.entries(headers).flat(),
    ],
    body: answer,
  }
}
