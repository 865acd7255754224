// The protocol's decoder for verify, which remembers what it has decoded.
import { sha256Of } from '../../archive/format/hash.ts'
import { type Decoding, decodeWav } from '../../protocol/index.ts'

const decodings = new Map<string, Decoding>()

/** The same sound is decoded once, whichever test files a worker runs, since that takes a while. */
export function decode(bytes: Uint8Array): Decoding {
  const key = sha256Of(bytes)
  const decoding = decodings.get(key) ?? decodeWav(bytes)
  decodings.set(key, decoding)
  return decoding
}
