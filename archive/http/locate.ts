// Finds out what serves an archive at an address: a service, or an archive's folder on a plain file server
// (FORMAT.md 21.3).
import { MAX_JSON_BYTES, MAX_NOTE_BYTES } from '../format/bounds.ts'
import {
  ARCHIVE_URL,
  CHECKPOINT_FILE,
  INDEX_JSON_URL,
  manifestName,
  manifestUrl,
  mediaUrl,
  snapshotName,
  snapshotUrl,
} from '../format/paths.ts'
import type { Client } from './client.ts'
import { FetchFailure } from './failure.ts'

/** Where an archive's files are. */
export interface Layout {
  /** A file in the root, such as `log`. */
  root(name: string): string
  /** A file of a day, by its name in the archive. */
  ofDay(day: string, name: string): string
}

/** The paths at a service, below its base address. */
export const SERVICE: Layout = {
  root: (name) => `${ARCHIVE_URL}/${name}`,
  ofDay(day, name) {
    if (name === snapshotName(day)) return snapshotUrl(day)
    return name === manifestName(day) ? manifestUrl(day) : mediaUrl(day, name)
  },
}

/** The paths on a plain file server, below the address of the archive's folder. */
export const FOLDER: Layout = {
  root: (name) => `/${name}`,
  ofDay: (day, name) => `/${day}/${name}`,
}

/** What was found at an address. */
export interface Located {
  /** The base address, without a trailing slash. */
  base: string
  kind: 'service' | 'folder'
  /** The URLs of the files. */
  urls: Layout
  /** The checkpoint, or why it could not be read; a service need not have one. */
  checkpoint: Uint8Array | FetchFailure
}

/**
 * Finds out what is at an address. A folder is recognized by its checkpoint; anything else is taken for a service, which
 * may be the one whose list of days has this address.
 */
export async function locate(client: Client, address: string): Promise<Located> {
  const base = address.replace(/\/+$/, '')
  const service = await located(client, base, 'service')
  if (!isMissing(service.checkpoint)) return service
  const listing = serviceOfList(base)
  if (listing !== undefined) {
    const list = await readOrFailure(client, listing + INDEX_JSON_URL, MAX_JSON_BYTES)
    if (!(list instanceof FetchFailure)) return locate(client, listing)
  }
  const folder = await located(client, base, 'folder')
  return isMissing(folder.checkpoint) ? service : folder
}

async function located(client: Client, base: string, kind: Located['kind']): Promise<Located> {
  const { root, ofDay } = kind === 'service' ? SERVICE : FOLDER
  const urls: Layout = {
    root: (name) => base + root(name),
    ofDay: (day, name) => base + ofDay(day, name),
  }
  const checkpoint = await readOrFailure(client, urls.root(CHECKPOINT_FILE), MAX_NOTE_BYTES)
  return { base, kind, urls, checkpoint }
}

function isMissing(file: Uint8Array | FetchFailure): boolean {
  return file instanceof FetchFailure && file.code === 'missing'
}

async function readOrFailure(
  client: Client,
  url: string,
  limit: number,
): Promise<Uint8Array | FetchFailure> {
  try {
    return await client.read(url, limit)
  } catch (error) {
    if (error instanceof FetchFailure) return error
    throw error
  }
}

/**
 * The base address of the service if this is the URL of its list of days, which people copy from a browser;
 * undefined otherwise.
 */
function serviceOfList(address: string): string | undefined {
  return address.endsWith(ARCHIVE_URL) ? address.slice(0, -ARCHIVE_URL.length) : undefined
}
