// What a feature defines for each kind of create.
import type { Call } from '../http/call.ts'
import type { Operation } from './idempotency.ts'
import type { LimitName } from './limits.ts'
import type { Needs, Records } from './records.ts'

export type WriteFeature = 'directories' | 'messages' | 'investigations'

/** When a request was received, and when its record is published: ms since 1970. */
export interface Times {
  receivedAt: number
  publishAt: number
}

/** A record as it is answered: whatever it has, it has an address. */
export interface Located {
  url: string
}

/** One kind of create; `Input` is the parsed content of its request. */
export interface Creation<Input, Result extends Located = Located> {
  operation: Operation
  feature: WriteFeature
  limits: readonly LimitName[]
  /** Body, and what the path names -> content. @throws Problem on a broken rule */
  read(json: unknown, params: Call['params']): Input
  /** The records to be looked up for it. */
  needs(input: Input): Needs
  /**
   * Checks existence, then adds the record.
   * @returns the record as it is answered
   * @throws Problem, before anything is added
   */
  publish(records: Records, input: Input, times: Times): Result
}

/** A request's content with its kind; what the content is, only the kind knows. */
export interface Draft<Result extends Located = Located> {
  needs: Needs
  publish(records: Records, times: Times): Result
}

export const draftOf = <Input, Result extends Located>(
  creation: Creation<Input, Result>,
  input: Input,
): Draft<Result> => ({
  needs: creation.needs(input),
  publish: (records, times) => creation.publish(records, input, times),
})
