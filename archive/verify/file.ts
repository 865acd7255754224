// Reads the files of an archive for verify: each is whole, or there is a reason why it cannot be used.
import { isArchiveError, ReadFailure } from '../errors.ts'
import { boundOf } from '../format/bounds.ts'
import { offers, type Place, type ReadFile } from '../place/place.ts'
import type { FindingCode } from './findings.ts'

/** Why a file could not be read. */
export interface Problem {
  problem: { code: FindingCode; message: string }
}

/** The name of a file in findings. */
export function nameOf(place: Place, key: string): string {
  return place.nameOf?.(key) ?? key
}

/** Reads a whole file within its bound. */
export async function readFile(place: Place, key: string): Promise<ReadFile | Problem> {
  try {
    if (offers(place, 'read')) return await place.read(key)
    const file = await place.get(key)
    const bound = boundOf(key)
    if (!file) return problem('missing', 'is missing')
    return file.content.length > bound
      ? problem('too_large', `is longer than ${bound} bytes`)
      : file
  } catch (error) {
    if (error instanceof ReadFailure) return problem(error.code, error.message)
    if (!isArchiveError(error)) throw error
    return problem('unreadable', error.message)
  }
}

/**
 * Reads a file in pieces, within its bound and a limit; of a longer one, it passes on only as much [bytes].
 * @param take called again if the server has to be asked again
 */
export async function scanFile<T>(
  place: Place,
  key: string,
  limit: bigint,
  take: (chunks: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T | Problem> {
  const bound = boundOf(key)
  const most = limit < bound ? Number(limit) : bound
  try {
    if (offers(place, 'scan')) return await place.scan(key, most, take)
    const chunks = await place.open(key, 0, most - 1)
    return chunks ? await take(chunks) : problem('missing', 'is missing')
  } catch (error) {
    if (error instanceof ReadFailure) return problem(error.code, error.message)
    if (!isArchiveError(error, 'archive_unavailable')) throw error
    return problem('unreadable', error.message)
  }
}

function problem(code: FindingCode, message: string): Problem {
  return { problem: { code, message } }
}
