// Finds out what is at a URL (FORMAT.md 19.3): a service, or an archive's folder on a plain file server.
import { ArchiveError } from '../base/errors.ts'
import { ARCHIVE_URL, CHECKPOINT_FILE, INDEX_JSON_URL } from '../format/paths.ts'
import { CHECK_LIMITS, Client, type ClientOptions } from '../http/client.ts'
import { FetchFailure } from '../http/failure.ts'
import type { ReadFile } from './place.ts'
import {
  FileServerPlace,
  fetched,
  type ServedPlace,
  ServicePlace,
  type Unfetched,
} from './served.ts'

/** Opens the archive at a URL. @throws ArchiveError `archive_unavailable` if no server responds there */
export async function openServed(url: string, options: ClientOptions): Promise<ServedPlace> {
  const client = new Client({ ...CHECK_LIMITS, ...options })
  const { place, checkpoint } = await locate(client, url)
  if ('problem' in checkpoint && checkpoint.problem.code === 'unreachable')
    throw new ArchiveError('archive_unavailable', `${place.name}: ${checkpoint.problem.message}`)
  return place
}

export interface Located {
  place: ServedPlace
  /** The checkpoint, which a service need not have. */
  checkpoint: ReadFile | Unfetched
}

/**
 * Finds out what is at a URL. A folder is recognized by its checkpoint; anything else is taken for a service, which may
 * be the one whose list of days has this URL, as people copy it from a browser.
 */
export async function locate(client: Client, url: string): Promise<Located> {
  const base = url.replace(/\/+$/, '')
  const service = await located(new ServicePlace(base, client))
  if (!isMissing(service)) return service
  const listing = base.endsWith(ARCHIVE_URL) && base.slice(0, -ARCHIVE_URL.length)
  if (listing && 'content' in (await new ServicePlace(listing, client).readList(INDEX_JSON_URL)))
    return locate(client, listing)
  const folder = await located(new FileServerPlace(base, client))
  return isMissing(folder) ? service : folder
}

async function located(place: ServedPlace): Promise<Located> {
  return { place, checkpoint: await place.read(CHECKPOINT_FILE) }
}

function isMissing({ checkpoint }: Located): boolean {
  return 'problem' in checkpoint && checkpoint.problem.code === 'missing'
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
  const found = await locate(client, url)
  const { place, checkpoint } = found
  if (!isMissing(found)) return { place, note: fetched(checkpoint).content }
  const address = await place.addressOf(CHECKPOINT_FILE)
  throw new FetchFailure('log_missing', `has no signed log at ${address}`)
}
