// The one path of all four creates: checks in the order of API.md 1.3, then one transaction.
import type { Transaction } from 'kysely'
import { type Answer, textHeaders } from '../http/answer.ts'
import { readJson } from '../http/body.ts'
import type { Call } from '../http/call.ts'
import { closedNotice, type Modes, refuseWrite } from '../modes/rules.ts'
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
  /** What is switched off, as `db` sees it. */
  modes(db: Queryable): Promise<Modes>
  /** The keyed hash of where a request comes from. */
  originOf(call: Call): string
}

/** Why nothing of these features can be published now, for the pages where one would; null when all of it can. */
export const closedTo = async (
  { modes }: Pick<WriteDeps, 'modes'>,
  db: Queryable,
  ...features: WriteFeature[]
): Promise<string | null> => closedNotice(await modes(db), features)

/** When a request was received, and when its record is published: ms since 1970. */
export interface Times {
  receivedAt: number
  publishAt: number
}

/** One kind of create; `Input` is the parsed content of its request. */
export interface Creation<Input> {
  operation: Operation
  feature: WriteFeature
  limits: readonly LimitName[]
  /** Body, and what the path names -> content. @throws Problem on a broken rule */
  read(json: unknown, params: Call['params']): Input
  /** Checks existence and writes the record, which it returns. @throws Problem when something it needs is not there */
  publish(tx: Transaction<Schema>, input: Input, times: Times): Promise<{ url: string }>
}

/** Answers 201 with a new record, or 200 with the first answer to the same key. */
export async function create<Input>(
  deps: WriteDeps,
  call: Call,
  creation: Creation<Input>,
): Promise<Answer> {
  const { operation, feature, limits } = creation
  const admit = async (db: Queryable) => refuseWrite(await deps.modes(db), feature)
  const receivedAt = deps.now()
  await admit(deps.store.db)
  const input = creation.read(await readJson(call), call.params)
  const key = readKey(call.header('idempotency-key'), operation)
  const origin = deps.originOf(call)
  const keyed =
    key === undefined ? undefined : { operation, origin, key, requestHash: hashRequest(input) }

  return deps.store.write(async (tx) => {
    // Asked again: the body may have taken its time, and the operator's switch holds from its commit on.
    await admit(tx)
    const publishAt = deps.now()
    const replay = keyed && (await findReplay(tx, keyed, publishAt))
    if (replay) return answerCreated(200, replay, {})
    const rateLimit = await takeQuota(tx, limits, deps.quotas, origin, publishAt)
    const record = await creation.publish(tx, input, { receivedAt, publishAt })
    const created = { answer: stringifyJson(record), location: record.url }
    if (keyed) await rememberKey(tx, keyed, created, publishAt)
    return answerCreated(201, created, rateLimit)
  })
}

/** The one answer of all creates. */
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
