// SHA-256, the hash that names files and chains days.
import { createHash, type Hash, hash } from 'node:crypto'

/** Returns the SHA-256 of bytes, or of a text in UTF-8, as 64 lowercase hex digits. */
export function sha256Of(content: Uint8Array | string): string {
  return hash('sha256', content, 'hex')
}

/** A SHA-256 to which bytes are added as they arrive; `digest('hex')` is that of `sha256Of`. */
export const runningSha256 = (): Hash => createHash('sha256')
