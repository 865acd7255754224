// The one path of all four creates: checks in the order of API.md 1.3, then the batch that writes it.
import { type Answer, textHeaders } from '../http/answer.ts'
import { readJson } from '../http/body.ts'
import type { Call } from '../http/call.ts'
import { type Modes, refuseWrite } from '../modes/rules.ts'
import type { Queryable, Store } from '../store/database.ts'
import type { Outcome } from './batch.ts'
import { type Creation, draftOf } from './creation.ts'
import { hashRequest, readKey } from './idempotency.ts'
import type { Publisher } from './publisher.ts'

/** What the creates share. */
export interface WriteDeps {
  store: Store
  publisher: Publisher
  /** Wall time, ms since 1970. */
  now(): number
  /** What is switched off, as `db` sees it. */
  modes(db: Queryable): Promise<Modes>
  /** What is switched off at the moment. */
  currentModes(): Promise<Modes>
  /** The keyed hash of where a request comes from. */
  originOf(call: Call): string
  /** Where the service is, when that is configured; no trailing slash. */
  baseUrl: string | undefined
}

/** Answers 201 with a new record, or 200 with the first answer to the same key. */
export async function create<Input>(
  deps: WriteDeps,
  call: Call,
  creation: Creation<Input>,
): Promise<Answer> {
  const { operation, feature, limits } = creation
  const receivedAt = deps.now()
  // The batch asks again: the body may take its time, and the operator's switch holds from its commit on.
  refuseWrite(await deps.currentModes(), feature)
  const input = creation.read(await readJson(call), call.params)
  const key = readKey(call.header('idempotency-key'), operation)
  const origin = deps.originOf(call)
  const keyed =
    key === undefined ? undefined : { operation, origin, key, requestHash: hashRequest(input) }
  const draft = draftOf(creation, input)
  return answerCreated(
    await deps.publisher.publish({ feature, limits, origin, keyed, draft, receivedAt }),
  )
}

/** The one answer of all creates. */
const answerCreated = ({ status, answer, location, fields }: Outcome): Answer => ({
  status,
  headers: [
    ...textHeaders('json', 'no-store'),
    'Location',
    location,
    ...Object.entries(fields).flat(),
  ],
  body: answer,
})
