// Computes hashes of texts in the browser.
import { toHex } from '../../../protocol/bits.ts'

/** Whether the browser has crypto.subtle, which it provides only over HTTPS and on localhost. */
export const canHash = (): boolean => globalThis.crypto.subtle !== undefined

/** Returns SHA-256 in hex. */
export async function sha256(text: string): Promise<string> {
  return toHex(
    new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))),
  )
}
