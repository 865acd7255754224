// The base URL that the service's own texts use.
import type { Call } from './call.ts'

/** Returns the configured base URL, or the one that the request was sent to, without a trailing slash. */
export const baseUrlOf = (call: Call, configured: string | undefined): string =>
  configured ?? new URL(`http://${call.host}`).origin
