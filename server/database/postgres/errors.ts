// Classifies PostgreSQL's errors: which are temporary, and which make a connection unusable.
import { DatabaseUnavailable } from '../errors.ts'

/** A host that must not be written to: a replica, an old primary, or another database than before. */
export class NotPrimary extends Error {
  override name = 'NotPrimary'
}

/** The response to COMMIT was lost, so the outcome is unknown. */
export class CommitUnknown extends DatabaseUnavailable {
  override name = 'CommitUnknown'
  /** The id of the row in `commits` that exists if the transaction was committed. */
  readonly batch: string

  constructor(batch: string, cause: unknown) {
    super('the response to COMMIT was lost', { cause })
    this.batch = batch
  }
}

/** Serialization failure, deadlock, lock not available: rolled back, and the connection is still usable. */
const LOST_RACE = /^(?:40001|40P01|55P03)$/
/** Outcome unknown, connection lost, too many clients, shutting down, starting up, no longer the primary. */
const SESSION_ENDED = /^(?:40003|08...|53300|57P0[1-5]|25006|25P03)$/
const NO_CONNECTION =
  /^(?:ECONNRESET|ECONNREFUSED|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/
/** Out of resources, statement timeout, operating system error, login rejected, no such database, internal error. */
const SERVER_FAILED = /^(?:53...|57014|58...|28...|3D000|XX...)$/
/** Errors of the driver that have no code. */
const UNCODED =
  /^(?:Connection terminated|Client has encountered a connection error|Query read timeout|timeout exceeded when trying to connect|timeout expired|Client was closed)/i

/** Whether a query got no response at all. The server ends a query that takes too long earlier. */
export const isUnresponsive = (error: unknown): boolean =>
  error instanceof Error && /^Query read timeout/i.test(error.message)

/** Whether no connection could be had in time, because all were in use or the host did not respond. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof Error && /timeout/i.test(error.message)

function codeOf(error: unknown): string | undefined {
  const { code } = Object(error) as { code?: unknown }
  return typeof code === 'string' ? code : undefined
}

/** Whether an error makes its connection unusable. */
export function endsSession(error: unknown): boolean {
  if (error instanceof NotPrimary) return true
  const code = codeOf(error)
  if (code === undefined) return error instanceof Error && UNCODED.test(error.message)
  return SESSION_ENDED.test(code) || NO_CONNECTION.test(code)
}

/** Whether the same work may succeed if it is retried soon. */
export function isTransient(error: unknown): boolean {
  if (error instanceof CommitUnknown) return true
  const cause = error instanceof DatabaseUnavailable ? error.cause : error
  return endsSession(cause) || LOST_RACE.test(codeOf(cause) ?? '')
}

/** Converts a failure of the engine to DatabaseUnavailable, and returns any other error unchanged. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable) return error
  if (!isTransient(error) && !SERVER_FAILED.test(codeOf(error) ?? '')) return error
  return new DatabaseUnavailable(lineOf(error), { cause: error })
}

/** A host with several addresses fails with an AggregateError, whose own message is empty. */
function lineOf(error: unknown): string {
  const { message, errors } = error as AggregateError
  return (message || (errors?.[0] as Error | undefined)?.message) ?? String(error)
}
