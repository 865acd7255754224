// Bits, bytes and hexadecimal digits, the most significant bit always first (SPEC.md 1).

/** The bits of `bytes` as an array of 0 and 1, eight a byte. */
export function unpackBits(bytes: Uint8Array): Uint8Array {
  const bits = new Uint8Array(bytes.length * 8)
  for (let i = 0; i < bits.length; i++) bits[i] = (bytes[i >> 3]! >> (7 - (i & 7))) & 1
  return bits
}

/** The inverse of `unpackBits`; the number of bits is a multiple of eight. */
export function packBits(bits: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(bits.length >> 3)
  for (let i = 0; i < bytes.length * 8; i++) bytes[i >> 3]! |= bits[i]! << (7 - (i & 7))
  return bytes
}

/** Two lowercase hexadecimal digits a byte. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
