// Finds the archive to mirror at an address, which may be a service or a folder behind a plain file
// server, and builds the URLs of its files (FORMAT.md 21.3).
import { serviceOfList } from '../base-address.ts'
import { MAX_JSON_BYTES, MAX_NOTE_BYTES } from '../format/bounds.ts'
import {
  ARCHIVE_URL,
  CHECKPOINT_FILE,
  INDEX_JSON_URL,
  type MediaKind,
  manifestKey,
  manifestUrl,
  mediaName,
  mediaUrl,
  snapshotKey,
  snapshotUrl,
} from '../format/paths.ts'
import type { Client } from '../http/client.ts'
import { FetchFailure } from '../http/failure.ts'

/** Builds the URLs of an archive's files. */
export interface Origin {
  /** A file in the root, such as `log`. */
  root(name: string): string
  manifest(day: string): string
  snapshot(day: string): string
  medium(day: string, kind: MediaKind, sha256: string): string
}

function serviceAt(base: string): Origin {
  return {
    root: (name) => `${base}${ARCHIVE_URL}/${name}`,
    manifest: (day) => base + manifestUrl(day),
    snapshot: (day) => base + snapshotUrl(day),
    medium: (day, kind, sha256) => base + mediaUrl(day, mediaName(sha256, kind)),
  }
}

function folderAt(base: string): Origin {
  return {
    root: (name) => `${base}/${name}`,
    manifest: (day) => `${base}/${manifestKey(day)}`,
    snapshot: (day) => `${base}/${snapshotKey(day)}`,
    medium: (day, kind, sha256) => `${base}/${day}/${mediaName(sha256, kind)}`,
  }
}

/**
 * Locates the archive at an address by its checkpoint.
 * @throws FetchFailure
 */
export async function findOrigin(
  client: Client,
  address: string,
): Promise<{ origin: Origin; checkpoint: Uint8Array }> {
  const base = address.replace(/\/+$/, '')
  const service = serviceAt(base)
  const folder = folderAt(base)
  const first = await readCheckpoint(client, service)
  if (first) return { origin: service, checkpoint: first }
  const listed = serviceOfList(base)
  if (listed !== undefined && (await readIfThere(client, listed + INDEX_JSON_URL, MAX_JSON_BYTES)))
    return findOrigin(client, listed)
  const second = await readCheckpoint(client, folder)
  if (second) return { origin: folder, checkpoint: second }
  throw new FetchFailure('log_missing', `has no signed log at ${service.root(CHECKPOINT_FILE)}`)
}

const readCheckpoint = (client: Client, origin: Origin): Promise<Uint8Array | null> =>
  readIfThere(client, origin.root(CHECKPOINT_FILE), MAX_NOTE_BYTES)

async function readIfThere(
  client: Client,
  address: string,
  limit: number,
): Promise<Uint8Array | null> {
  try {
    return await client.read(address, limit)
  } catch (error) {
    if (error instanceof FetchFailure && error.code === 'missing') return null
    throw error
  }
}
