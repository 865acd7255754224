// The interface through which a feature defines a kind of create.
import type { Call } from '../http/call.ts'
import type { BatchRecords, Needs } from './batch-records.ts'
import type { Operation } from './idempotency.ts'
import type { LimitName } from './limits.ts'

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
