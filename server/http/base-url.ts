// Where this service is, as its own texts name it.
import { Problem } from '../wire/problem.ts'

/** What may stand in a curl line without being quoted; srvx puts `_invalid_` for many another host. */
const PLAIN_HOST = /^[A-Za-z0-9[][A-Za-z0-9_.:[\]-]*$/

/**
 * The configured base address, or the one that the request itself was sent to; no trailing slash.
 * @throws Problem when the request's host could not be pasted into a shell
 */
export function baseUrlOf(request: Request, configured: string | undefined): string {
  if (configured !== undefined) return configured
  const { origin, host } = new URL(request.url)
  if (!PLAIN_HOST.test(host)) throw new Problem('invalid_request', 'Host: is not a plain host name')
  return origin
}
