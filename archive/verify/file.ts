// Reads a file of an archive in pieces, once more if the connection breaks.

import { type BadFile, badFile, isFileDamage } from '../base/errors.ts'
import { systemCode } from '../base/system-error.ts'
import { boundOf } from '../format/bounds.ts'
import { CHECK_LIMITS } from '../http/client.ts'
import { FetchFailure } from '../http/failure.ts'
import type { Place } from '../place/place.ts'

/**
 * Reads a file in pieces, within its bound and a limit; of a longer one, it passes on only as much [bytes].
 * @param take called again if the file has to be read again
 */
export async function scanFile<T>(
  place: Place,
  key: string,
  limit: bigint,
  take: (chunks: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T | BadFile> {
  const bound = boundOf(key)
  const most = limit < bound ? Number(limit) : bound
  for (let tries = 1; ; tries += 1) {
    const chunks = await place.open(key, 0, most - 1)
    if ('problem' in chunks) return chunks
    try {
      return await take(chunks)
    } catch (error) {
      if (isFileDamage(error)) return badFile('unreadable', `cannot be read (${systemCode(error)})`)
      if (!(error instanceof FetchFailure)) throw error
      if (!error.isTransient || tries === CHECK_LIMITS.tries) return { problem: error }
    }
  }
}
