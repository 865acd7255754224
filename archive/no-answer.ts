// Why fetch has brought no answer, in one line for people.
import { systemCode } from './errors.ts'

/** As in `no answer (connect ECONNREFUSED 127.0.0.1:1)`: fetch's own message is the same for every failure. */
export function noAnswerLine(error: unknown): string {
  const { message, cause } = error as Error
  if (!(cause instanceof Error)) return `no answer (${message})`
  const code = systemCode(cause)
  // Nothing was sent: like browsers, fetch never asks some ports, which other protocols have.
  if (code === undefined) return `fetch refuses the address (${cause.message})`
  // OpenSSL's own message has several lines, and no word for people.
  if (code.startsWith('ERR_SSL_'))
    return `no TLS connection (${code}); does the server speak plain http?`
  return `no answer (${cause.message || code})`
}
