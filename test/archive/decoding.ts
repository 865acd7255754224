// A caching decoder for verify, and verify with it.
import { sha256Of } from '../../archive/format/hash.ts'
import { folderPlace } from '../../archive/place/folder.ts'
import type { Place } from '../../archive/place/place.ts'
import { type VerifyOptions, verifyArchive } from '../../archive/verify/archive.ts'
import type { Report } from '../../archive/verify/findings.ts'
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

/** Verifies a place, or the archive in a folder, like `npm run verify`, but without pauses. */
export function verified(
  at: Place | string,
  { log, ...options }: VerifyOptions = {},
): Promise<Report> {
  const place = typeof at === 'string' ? folderPlace(at) : at
  return verifyArchive(place, { decode, ...options, log: { pauseMs: 0, ...log } })
}
