// Opens another archive of the same days, in a folder or over HTTP, for a repair from a copy (WRITING.md 2.5).
import { isAddress } from '../../archive/base/base-address.ts'
import { boundOf } from '../../archive/format/bounds.ts'
import { openPlace } from '../../archive/place/locate.ts'
import { errorOf, isOutage, type Place } from '../../archive/place/place.ts'

/**
 * Opens a copy in a folder, or at the URL of a service or of an archive's folder on a plain file server.
 * @param signal aborts all requests
 * @throws ArchiveError `archive_unavailable` when there is no archive
 */
export async function openCopy(address: string, signal?: AbortSignal): Promise<Place> {
  const location = isAddress(address) ? { url: address } : { dir: address }
  const place = await openPlace(location, { random: () => 1, signal })
  await place.folders()
  return place
}

/**
 * Reads a file of a copy; null when the copy has none of at most `limit` bytes.
 * @throws ArchiveError `archive_unavailable` when it cannot be read, for example because the server responds with 500
 */
export async function readCopy(
  copy: Place,
  key: string,
  limit = boundOf(key),
): Promise<Uint8Array | null> {
  const file = await copy.read(key, limit)
  if ('content' in file) return file.content
  if (isOutage(file) || file.problem.code === 'unreadable')
    throw errorOf(copy, key, file, 'archive_unavailable')
  return null
}
