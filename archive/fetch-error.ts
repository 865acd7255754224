// Interprets the failures of a fetch: one line for each, and which status means a missing file.
import { systemCode } from './errors.ts'

/** Whether an HTTP status says that the file does not exist. */
export function isMissingStatus(status: number): boolean {
  return status === 404 || status === 410
}

/** As in `no answer (connect ECONNREFUSED 127.0.0.1:1)`, because fetch's own message is the same for every failure. */
export function describeFetchError(error: unknown): string {
  const { message, cause } = error as Error
  if (!(cause instanceof Error)) return `no answer (${message})`
  const code = systemCode(cause)
  // No code means that nothing was sent: like browsers, fetch blocks ports that belong to other protocols.
  if (code === undefined) return `fetch refuses the address (${cause.message})`
  // OpenSSL's own message spans several lines and is unreadable.
  if (code.startsWith('ERR_SSL_'))
    return `no TLS connection (${code}); does the server speak plain http?`
  return `no answer (${cause.message || code})`
}
