// Converts between bits, bytes and hexadecimal digits, most significant bit first (SPEC.md 1).

/** Returns the bits of `bytes` as an array of 0 and 1, eight per byte. */
export function unpackBits(bytes: Uint8Array): Uint8Array {
  const bits = new Uint8Array(bytes.length * 8)
  for (let i = 0; i < bits.length; i++) bits[i] = (bytes[i >> 3]! >> (7 - (i & 7))) & 1
  return bits
}

/** The inverse of `unpackBits`; the number of bits must be a multiple of eight. */
export function packBits(bits: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(bits.length >> 3)
  for (let i = 0; i < bytes.length * 8; i++) bytes[i >> 3]! |= bits[i]! << (7 - (i & 7))
  return bytes
}

/** Returns two lowercase hexadecimal digits per byte. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
