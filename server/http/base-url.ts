// Where this service is, as its own texts name it.
import { Problem } from '../wire/problem.ts'
import type { Call } from './call.ts'

/** What may be pasted into a shell without being quoted. */
const PLAIN_HOST = /^[A-Za-z0-9[][A-Za-z0-9_.:[\]-]*$/

/**
 * The configured base address, or the one that the request itself was sent to; no trailing slash.
 * @throws Problem when the request's host could not be pasted into a shell
 */
export function baseUrlOf(call: Call, configured: string | undefined): string {
  if (configured !== undefined) return configured
  if (!PLAIN_HOST.test(call.host))
    throw new Problem('invalid_request', 'Host: is not a plain host name')
  return new URL(`http://${call.host}`).origin
}
