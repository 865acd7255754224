// Another archive of the same days, from which a repair takes files (FORMAT.md 14.5): a folder, or an address.
import { readdir } from 'node:fs/promises'
import { isAddress } from '../archive/base-address.ts'
import { asReadError } from '../archive/errors.ts'
import { bytesOf, statsOf } from '../archive/files.ts'
import type { MediaKind } from '../archive/format/paths.ts'
import { Client, FetchFailure } from '../archive/mirror/client.ts'
import { findOrigin } from '../archive/mirror/origin.ts'
import { ROOT } from '../archive/place/place.ts'

/** Another archive of the same days. */
export interface Copy {
  /** A file of a day, of at most `limit` bytes; null when the copy does not have it. */
  read(day: string, file: CopiedFile, limit: number): Promise<Uint8Array | null>
  /** The same for a file of the archive itself, such as `log`. */
  readRoot(name: string, limit: number): Promise<Uint8Array | null>
}

export interface CopiedFile {
  kind: 'manifest' | 'snapshot' | MediaKind
  name: string
  /** The hash that it must have. */
  sha256: string
}

/** The copy in a folder, or at the address of a service or of a folder that a plain file server serves. */
export async function openCopy(place: string): Promise<Copy> {
  return isAddress(place) ? copyAt(place) : copyIn(place)
}

/** @throws ArchiveError `archive_unavailable` where there is no folder */
async function copyIn(dir: string): Promise<Copy> {
  await readdir(dir).catch((error) => {
    throw asReadError(error, dir)
  })
  const read = async (folder: string, name: string, limit: number) => {
    const stats = await statsOf(dir, folder, name)
    return stats && stats.size <= BigInt(limit) ? bytesOf(dir, folder, name) : null
  }
  return {
    read: (day, { name }, limit) => read(day, name, limit),
    readRoot: (name, limit) => read(ROOT, name, limit),
  }
}

/** @throws Error with one line when there is no archive */
async function copyAt(address: string): Promise<Copy> {
  const client = new Client()
  const { origin } = await findOrigin(client, address).catch((error) => {
    throw error instanceof FetchFailure ? new Error(`${address}: ${error.message}`) : error
  })
  const read = async (url: string, limit: number) => {
    try {
      return await client.read(url, limit)
    } catch (error) {
      if (error instanceof FetchFailure) return null
      throw error
    }
  }
  return {
    read: (day, { kind, sha256 }, limit) =>
      kind === 'manifest' || kind === 'snapshot'
        ? read(origin[kind](day), limit)
        : read(origin.medium(day, kind, sha256), limit),
    readRoot: (name, limit) => read(origin.root(name), limit),
  }
}
