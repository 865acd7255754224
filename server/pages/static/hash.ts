// Computes hashes of texts in the browser.

export const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Whether the browser has crypto.subtle, which it provides only over HTTPS and on localhost. */
export const canHash = (): boolean => globalThis.crypto.subtle !== undefined

/** Returns SHA-256 in hex. */
export async function sha256(text: string): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))
}
