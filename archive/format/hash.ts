// The hash that names files and chains days: SHA-256.
import { createHash } from 'node:crypto'

/** The SHA-256 of bytes, 64 lowercase hex digits. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
