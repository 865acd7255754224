// A caching decoder for verify.
import { sha256Of } from '../../archive/format/hash.ts'
import { type Decoding, decodeWav } from '../../protocol/receiver/index.ts'

const decodings = new Map<string, Decoding>()

/** Decodes each WAV once per worker, because decoding is slow. */
export function decode(bytes: Uint8Array): Decoding {
  const key = sha256Of(bytes)
  const decoding = decodings.get(key) ?? decodeWav(bytes)
  decodings.set(key, decoding)
  return decoding
}

/** Keeps what a renderer has decoded from its own WAV. */
export const keepDecoding = (bytes: Uint8Array, decoding: Decoding): void => {
  decodings.set(sha256Of(bytes), decoding)
}
