// Opens another archive of the same days, in a folder or over HTTP, for a repair from a copy (WRITING.md 2.5).
import { isAddress } from '../archive/base/base-address.ts'
import { boundOf } from '../archive/format/bounds.ts'
import { Client } from '../archive/http/client.ts'
import { FetchFailure } from '../archive/http/failure.ts'
import { folderPlace } from '../archive/place/folder.ts'
import { locateLog } from '../archive/place/locate.ts'
import type { Place } from '../archive/place/place.ts'

/**
 * Opens a copy in a folder, or at the URL of a service or of an archive's folder on a plain file server.
 * @param signal aborts all requests
 * @throws ArchiveError `archive_unavailable` when the folder cannot be read
 * @throws Error with one line when there is no archive at the URL
 */
export async function openCopy(address: string, signal?: AbortSignal): Promise<Place> {
  if (isAddress(address)) return openCopyAt(address, signal)
  const place = folderPlace(address)
  await place.folders()
  return place
}

async function openCopyAt(url: string, signal: AbortSignal | undefined): Promise<Place> {
  try {
    return (await locateLog(new Client({ signal }), url)).place
  } catch (error) {
    throw error instanceof FetchFailure ? new Error(`${url}: ${error.message}`) : error
  }
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
  const file = await copy.get(key)
  return file && file.content.length <= limit ? file.content : null
}
