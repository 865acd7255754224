// Opens the archive at an address: a folder, an object store, or (FORMAT.md 21.3) a service or an archive's folder on a
// plain file server.
import { ArchiveError } from '../errors.ts'
import { ARCHIVE_URL, CHECKPOINT_FILE, INDEX_JSON_URL } from '../format/paths.ts'
import { CHECK_LIMITS, Client, type ClientOptions } from '../http/client.ts'
import { FetchFailure } from '../http/failure.ts'
import { type BucketOptions, bucketPlace } from './bucket.ts'
import { folderPlace } from './folder.ts'
import type { ArchiveLocation } from './location.ts'
import type { Place, ReadFile } from './place.ts'
import { fileServerPlace, type ServedPlace, servicePlace } from './served.ts'

/**
 * Opens the archive at a location, which is a URL if it can only be read.
 * @throws ArchiveError `archive_unavailable` if no server responds there
 */
export async function openPlace(
  location: ArchiveLocation | { url: string },
  options: BucketOptions,
): Promise<Place> {
  if ('url' in location) return openServed(location.url, options)
  return 'dir' in location ? folderPlace(location.dir) : bucketPlace(location, options)
}

/** Opens the archive at a URL for a check. @throws ArchiveError as `openPlace` */
export async function openServed(url: string, options: ClientOptions = {}): Promise<ServedPlace> {
  const { place, checkpoint } = await locate(new Client({ ...CHECK_LIMITS, ...options }), url)
  if (checkpoint instanceof FetchFailure && checkpoint.code === 'unreachable')
    throw new ArchiveError('archive_unavailable', `${place.name}: ${checkpoint.message}`)
  return place
}

/** What was found at a URL. */
export interface Located {
  place: ServedPlace
  /** The checkpoint, or why it could not be read; a service need not have one. */
  checkpoint: ReadFile | FetchFailure
}

/**
 * Finds out what is at a URL. A folder is recognized by its checkpoint; anything else is taken for a service, which may
 * be the one whose list of days has this URL, as people copy it from a browser.
 */
export async function locate(client: Client, url: string): Promise<Located> {
  const base = url.replace(/\/+$/, '')
  const service = await located(servicePlace(base, client))
  if (!isMissing(service.checkpoint)) return service
  const listing = base.endsWith(ARCHIVE_URL) && base.slice(0, -ARCHIVE_URL.length)
  if (listing) {
    const list = await orFailure(servicePlace(listing, client).readList(INDEX_JSON_URL))
    if (!(list instanceof FetchFailure)) return locate(client, listing)
  }
  const folder = await located(fileServerPlace(base, client))
  return isMissing(folder.checkpoint) ? service : folder
}

/**
 * Finds an archive with a signed log at a URL.
 * @returns its place and its checkpoint
 * @throws FetchFailure `log_missing` if there is no checkpoint, or another one if it cannot be read
 */
export async function locateLog(
  client: Client,
  url: string,
): Promise<{ place: ServedPlace; note: Uint8Array }> {
  const { place, checkpoint } = await locate(client, url)
  if (!(checkpoint instanceof FetchFailure)) return { place, note: checkpoint.content }
  if (checkpoint.code !== 'missing') throw checkpoint
  const address = await place.addressOf(CHECKPOINT_FILE)
  throw new FetchFailure('log_missing', `has no signed log at ${address}`)
}

async function located(place: ServedPlace): Promise<Located> {
  return { place, checkpoint: await orFailure(place.read(CHECKPOINT_FILE)) }
}

function isMissing(file: ReadFile | FetchFailure): boolean {
  return file instanceof FetchFailure && file.code === 'missing'
}

async function orFailure(reading: Promise<ReadFile>): Promise<ReadFile | FetchFailure> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof FetchFailure) return error
    throw error
  }
}
