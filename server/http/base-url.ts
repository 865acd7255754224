// The base URL that the service's own texts use.
import { Problem } from '../wire/problem.ts'
import type { Call } from './call.ts'

/** Hosts that can be pasted into a shell without quoting. */
const PLAIN_HOST = /^[A-Za-z0-9[][A-Za-z0-9_.:[\]-]*$/

/**
 * Returns the configured base URL, or the one that the request was sent to, without a trailing slash.
 * @throws Problem when the request's host is not safe to paste into a shell
 */
export function baseUrlOf(call: Call, configured: string | undefined): string {
  if (configured !== undefined) return configured
  if (!PLAIN_HOST.test(call.host))
    throw new Problem('invalid_request', 'Host: is not a plain host name')
  return new URL(`http://${call.host}`).origin
}
