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

/** One kind of create; `Input` is the parsed content of its request. */
export interface Creation<Input, Record extends { url: string } = { url: string }> {
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
  publish(records: Records, input: Input, times: Times): Record
}

/** A request's content with its kind; what the content is, only the kind knows. */
export interface Draft<Record extends { url: string } = { url: string }> {
  needs: Needs
  publish(records: Records, times: Times): Record
}

export const draftOf = <Input, Record extends { url: string }>(
  creation: Creation<Input, Record>,
  input: Input,
): Draft<Record> => ({
  needs: creation.needs(input),
  publish: (records, times) => creation.publish(records, input, times),
})
