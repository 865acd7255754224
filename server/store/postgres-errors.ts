// What PostgreSQL's errors mean: which of them pass by themselves, and which leave a connection of no use.
import { StoreUnavailable } from './contract.ts'

/** This server follows another one. */
export class InRecovery extends Error {
  override name = 'InRecovery'
}

/** The answer to COMMIT did not arrive. */
export class CommitUnknown extends StoreUnavailable {
  override name = 'CommitUnknown'
  /** The row of `commits` that is there if it was done. */
  readonly batch: string

  constructor(batch: string, cause: unknown) {
    super('the answer to COMMIT was lost', { cause })
    this.batch = batch
  }
}

/** Serialization failure, deadlock, lock not available: the server has rolled back, and the connection is good. */
const LOST_RACE = /^(?:40001|40P01|55P03)$/
/** Outcome unknown, connection lost, too many clients, going down, starting up, no longer the primary. */
const SESSION_ENDED = /^(?:40003|08...|53300|57P0[1-5]|25006|25P03)$/
const NO_CONNECTION =
  /^(?:ECONNRESET|ECONNREFUSED|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/
/** Resources, the system below, a statement that was ended for its time, and a login or database that is gone. */
const SERVER_FAILED = /^(?:53...|57014|58...|28...|3D000|XX...)$/
/** The driver gives no code to these. */
const UNCODED =
  /^(?:Connection terminated|Client has encountered a connection error|Query read timeout|timeout exceeded when trying to connect|timeout expired|Client was closed)/i

function codeOf(error: unknown): string | undefined {
  const { code } = Object(error) as { code?: unknown }
  return typeof code === 'string' ? code : undefined
}

/** Whether nothing more can be asked over the connection that gave it. */
export function endsSession(error: unknown): boolean {
  if (error instanceof InRecovery) return true
  const code = codeOf(error)
  if (code === undefined) return error instanceof Error && UNCODED.test(error.message)
  return SESSION_ENDED.test(code) || NO_CONNECTION.test(code)
}

/** Whether the same work may succeed in a moment. */
export function isTransient(error: unknown): boolean {
  if (error instanceof CommitUnknown) return true
  const cause = error instanceof StoreUnavailable ? error.cause : error
  return endsSession(cause) || LOST_RACE.test(codeOf(cause) ?? '')
}

/** A failure of the engine as StoreUnavailable; any other error as it is. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error
  if (!isTransient(error) && !SERVER_FAILED.test(codeOf(error) ?? '')) return error
  return new StoreUnavailable(lineOf(error), { cause: error })
}

/** A host with several addresses fails with several errors, and a message of its own that is empty. */
function lineOf(error: unknown): string {
  const { message, errors } = error as AggregateError
  return (message || (errors?.[0] as Error | undefined)?.message) ?? String(error)
}
