// SHA-256, the hash that names files and chains days.
import { createHash } from 'node:crypto'

/** Returns the SHA-256 of bytes as 64 lowercase hex digits. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
