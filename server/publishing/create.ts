// Handles all four creates: checks the request in the order of API.md 1.3, then hands it to the publisher. And what the pages
// with their forms need to know.
import type { ClockGuard } from '../clock/guard.ts'
import type { Database } from '../database/database.ts'
import { type Answer, textHeaders } from '../http/answer.ts'
import { baseUrlOf, type Call, readJson } from '../http/call.ts'
import type { CurrentModes } from '../modes/current.ts'
import { type PublishingState, publishingState, requireWritable } from '../modes/rules.ts'
import type { Clock } from '../system/system.ts'
import type { Creation, WriteFeature } from './batch.ts'
import { hashRequest, readKey } from './idempotency.ts'
import type { Publish } from './publisher.ts'

/** The dependencies that all creates share. */
export interface WriteDeps {
  database: Database
  publish: Publish
  clock: Clock
  clockGuard: Pick<ClockGuard, 'isWrong'>
  modes: CurrentModes
  /** Returns the keyed hash of a request's origin. */
  originOf(call: Call): string
  /** BASE_URL, if it is set; no trailing slash. */
  baseUrl: string | undefined
  /** Returns the address of a message's receipt; null while messages have none. */
  receiptOf(messageId: bigint): string | null
  /** When the current day becomes sound, as in `at 00:05 UTC`. */
  soundTime(): string
}

/** Responds 201 with a new record, or 200 with the first response to the same key. */
export async function create<Input>(
  deps: WriteDeps,
  call: Call,
  creation: Creation<Input>,
): Promise<Answer> {
  const { operation, feature, limits } = creation
  const arrivedAt = deps.clock.monotonic()
  // The batch checks this again, because an operator may switch the mode while the body arrives.
  requireWritable(await deps.modes.now(), feature)
  const input = creation.read(await readJson(call), call.params)
  const key = readKey(call.header('idempotency-key'), operation)
  const origin = deps.originOf(call)
  const keyed =
    key === undefined ? undefined : { operation, origin, key, request_hash: hashRequest(input) }
  const request = { creation, input, limits, origin, keyed, arrivedAt }
  const { status, answer, location, fields, message } = await deps.publish(request)
  const receipt = message === null ? null : deps.receiptOf(message)
  const headers = [
    ...textHeaders('json', 'no-store'),
    'Location',
    location,
    ...(receipt === null ? [] : ['Link', `<${receipt}>; rel="receipt"`]),
    ...Object.entries(fields).flat(),
  ]
  return { status, headers, body: answer }
}

/** What a page with a publishing form needs. */
export interface PublishingContext extends PublishingState {
  /** The address of the service in commands that can be pasted into a shell; no trailing slash. */
  baseUrl: string
  /** When the current day becomes sound, as in `at 00:05 UTC`. */
  sound_time: string
}

export async function publishingContext(
  deps: Pick<WriteDeps, 'modes' | 'clockGuard' | 'baseUrl' | 'soundTime'>,
  call: Call,
  feature: WriteFeature,
): Promise<PublishingContext> {
  const { modes, clockGuard, baseUrl, soundTime } = deps
  return {
    ...publishingState(await modes.now(), [feature], clockGuard.isWrong),
    baseUrl: baseUrlOf(call, baseUrl),
    sound_time: soundTime(),
  }
}
