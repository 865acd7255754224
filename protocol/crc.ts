// Computes CRC-32 as in IEEE 802.3, zlib and PNG: the checksum at the end of a frame (SPEC.md 3.4).
import { CRC_POLYNOMIAL } from './constants.ts'

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit++) {
    remainder = remainder & 1 ? (remainder >>> 1) ^ CRC_POLYNOMIAL : remainder >>> 1
  }
  return remainder
})

/** Returns the checksum of `bytes` as an unsigned 32-bit number. */
export function crc32(bytes: Uint8Array): number {
  let remainder = 0xffffffff
  for (const byte of bytes) remainder = (remainder >>> 8) ^ TABLE[(remainder ^ byte) & 0xff]!
  return (remainder ^ 0xffffffff) >>> 0
}
