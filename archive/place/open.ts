// Opens the archive at a location: a folder, an object store, or (FORMAT.md 19.3) a service or an archive's folder on a
// plain file server.
import type { BucketOptions } from './bucket.ts'
import { folderPlace } from './folder.ts'
import type { PlaceLocation } from './location.ts'
import type { Place } from './place.ts'

/** A server gives up early on a bucket, because a client is waiting. */
export const SERVER_REQUESTS = { tries: 2, stallMs: 4_000, maxWaitMs: 0 }

/**
 * Opens the archive at a location, which is a URL if it can only be read. Loads the HTTP client only for who needs it.
 * @throws ArchiveError `archive_unavailable` if no server responds there
 */
export async function openPlace(location: PlaceLocation, options: BucketOptions): Promise<Place> {
  if ('dir' in location) return folderPlace(location.dir)
  if ('bucket' in location) return (await import('./bucket.ts')).bucketPlace(location, options)
  return (await import('./locate.ts')).openServed(location.url, options)
}
