// Publishes a batch of creates in one transaction: reads everything at once, decides each request in memory, in order,
// and writes the accepted ones at once (API.md 1.3, 4.5, 5 and 6).
import { parseJson, stringifyJson } from '../../archive/base/json.ts'
import type { ClockGuard } from '../clock/guard.ts'
import type { WriteGuard } from '../data/restore-guard.ts'
import type { Opening, Transaction } from '../database/database.ts'
import { DatabaseUnavailable } from '../database/errors.ts'
import type { Call } from '../http/call.ts'
import type { CurrentModes } from '../modes/current.ts'
import { requireWritable } from '../modes/rules.ts'
import type { Clock, System } from '../system/system.ts'
import { Problem } from '../wire/problem.ts'
import { type BatchRecords, type Needs, readRecords } from './batch-records.ts'
import {
  type Created,
  type KeyedRequest,
  type Keys,
  type Operation,
  readKeys,
} from './idempotency.ts'
import type { Fields, LimitName, Publication, Quotas } from './limits.ts'
import { readWindows, type Windows } from './windows.ts'

export type WriteFeature = 'directories' | 'messages' | 'investigations'

/** When a request was received, and when its record is published [ms since 1970]. */
export interface Times {
  receivedAt: number
  publishAt: number
}

/** A record as returned to the client. Every kind has an address. */
export interface Located {
  url: string
}

/** A kind of create. @template Input the parsed content of its request */
export interface Creation<Input, Result extends Located = Located> {
  operation: Operation
  feature: WriteFeature
  limits: readonly LimitName[]
  /** Parses the body and the path parameters. @throws Problem if one breaks a rule */
  read(json: unknown, params: Call['params']): Input
  /** Returns the records to look up before `publish`. */
  needs(input: Input): Needs
  /**
   * Checks that the referenced records exist, then adds the record.
   * @returns the record as returned to the client
   * @throws Problem before anything is added
   */
  publish(records: BatchRecords, input: Input, times: Times): Result
  /** Returns the id of the message that a record is or begins with; null if it has no text. */
  messageOf(record: Result): bigint | null
}

/** A create that has passed every check that needs no database. @template Input as that of its kind */
export interface Request<Input = unknown> extends Publication {
  creation: Creation<Input>
  input: Input
  /** Undefined without an Idempotency-Key. */
  keyed: KeyedRequest | undefined
  /** When it arrived [monotonic ms]. */
  arrivedAt: number
}

/** The result of a successful create. */
export interface Outcome extends Created {
  status: 200 | 201
  /** RateLimit header fields. */
  fields: Fields
  /** The id of the message that was published; null for a directory. */
  message: bigint | null
}

export interface BatchDeps {
  quotas: Quotas
  clock: Clock
  randomHex: System['randomHex']
  clockGuard: ClockGuard
  modes: Pick<CurrentModes, 'in'>
  restoreGuard: WriteGuard
}

/**
 * Decides and writes a batch.
 * @returns the outcome or the error of each request, in their order
 * @throws ClockProblem, or any other error, which fails the whole batch
 */
export async function publishBatch(
  tx: Transaction,
  opening: Opening,
  requests: readonly Request[],
  deps: BatchDeps,
): Promise<(Outcome | Error)[]> {
  const refusal = deps.restoreGuard(opening)
  if (refusal) return requests.map(() => refusal)
  // Take the lock before reading the clock, so that later publications get later dates.
  const needs = requests.map(({ creation, input }) => creation.needs(input))
  const records = await readRecords(tx, needs, deps.randomHex)
  const { wall: now } = await deps.clockGuard.admit(
    tx,
    opening,
    records.sequences.lastPublication(),
  )
  const monotonic = deps.clock.monotonic()
  const modes = await deps.modes.in(tx)
  const keyed = requests.flatMap((request) => request.keyed ?? [])
  const keys = await readKeys(tx, keyed, now)
  const windows = await readWindows(tx, requests, deps.quotas, now)
  const outcomes = requests.map((request) => {
    try {
      requireWritable(modes, request.creation.feature)
      // By the time that has passed, because the wall clock may have been set in between.
      const receivedAt = now - Math.round(monotonic - request.arrivedAt)
      return decide(request, { records, keys, windows, times: { receivedAt, publishAt: now } })
    } catch (error) {
      // Anything else is a bug and fails the batch.
      if (error instanceof Problem || error instanceof DatabaseUnavailable) return error
      throw error
    }
  })
  await records.write()
  await keys.write()
  await windows.write()
  return outcomes
}

/** @param state.times when it was received, and when it is published at the earliest @throws Problem */
function decide(
  request: Request,
  state: { records: BatchRecords; keys: Keys; windows: Windows; times: Times },
): Outcome {
  const { records, keys, windows, times } = state
  const { keyed, creation, input } = request
  const replay = keyed && keys.replayOf(keyed)
  if (replay) {
    const message = creation.messageOf(parseJson(replay.answer) as Located)
    return { status: 200, fields: {}, ...replay, message }
  }
  const fields = windows.check(request)
  const publishAt = records.sequences.publicationTime(times.publishAt)
  const record = creation.publish(records, input, { ...times, publishAt })
  windows.count(request)
  const created = { answer: stringifyJson(record), location: record.url }
  if (keyed) keys.remember(keyed, created)
  return { status: 201, fields, ...created, message: creation.messageOf(record) }
}

/**
 * Publishes outside of HTTP at a given time; keys, limits and modes do not apply.
 * @param when.at [ms since 1970]; the record is dated later if the latest publication was later
 * @param when.randomHex makes the salt of a message
 * @throws Problem
 */
export async function publishAt<Input, Result extends Located>(
  tx: Transaction,
  creation: Creation<Input, Result>,
  input: Input,
  { at, randomHex }: { at: number } & Pick<System, 'randomHex'>,
): Promise<Result> {
  const records = await readRecords(tx, [creation.needs(input)], randomHex)
  const times = { receivedAt: at, publishAt: records.sequences.publicationTime(at) }
  const record = creation.publish(records, input, times)
  await records.write()
  return record
}
