// Reads another archive of the same days, in a folder or over HTTP, for a repair from a copy (FORMAT.md 14.5).
import { readdir } from 'node:fs/promises'
import { isAddress } from '../archive/base/base-address.ts'
import { ArchiveError, asReadError } from '../archive/errors.ts'
import { bytesOf, statsOf } from '../archive/files.ts'
import { ROOT } from '../archive/format/paths.ts'
import { Client } from '../archive/http/client.ts'
import { FetchFailure } from '../archive/http/failure.ts'
import { findOrigin } from '../archive/mirror/origin.ts'

/**
 * Another archive of the same days. Its methods reject with ArchiveError `archive_unavailable` when a file cannot be
 * read, for example because the server responds with 500.
 */
export interface Copy {
  /** Reads a file of a day, of at most `limit` bytes; null when the copy does not have it. */
  read(day: string, name: string, limit: number): Promise<Uint8Array | null>
  /** Reads a file in the archive's root, such as `log`, in the same way. */
  readRoot(name: string, limit: number): Promise<Uint8Array | null>
}

/**
 * Opens a copy in a folder, or at the URL of a service or of an archive's folder on a plain file server.
 * @param signal aborts all requests
 */
export async function openCopy(place: string, signal?: AbortSignal): Promise<Copy> {
  return isAddress(place) ? copyAt(place, signal) : copyIn(place)
}

/** @throws ArchiveError `archive_unavailable` when the folder cannot be read */
async function copyIn(dir: string): Promise<Copy> {
  await readdir(dir).catch((error) => {
    throw asReadError(error, dir)
  })
  const read = async (folder: string, name: string, limit: number) => {
    try {
      const stats = await statsOf(dir, folder, name)
      return stats && stats.size <= BigInt(limit) ? await bytesOf(dir, folder, name) : null
    } catch (error) {
      throw asReadError(error, dir)
    }
  }
  return {
    read,
    readRoot: (name, limit) => read(ROOT, name, limit),
  }
}

/** @throws Error with one line when there is no archive at the address */
async function copyAt(address: string, signal: AbortSignal | undefined): Promise<Copy> {
  const client = new Client({ signal })
  const { origin } = await findOrigin(client, address).catch((error) => {
    throw error instanceof FetchFailure ? new Error(`${address}: ${error.message}`) : error
  })
  const read = async (url: string, limit: number) => {
    try {
      return await client.read(url, limit)
    } catch (error) {
      if (!(error instanceof FetchFailure)) throw error
      if (error.code === 'missing' || error.code === 'too_large') return null
      throw new ArchiveError('archive_unavailable', `${url}: ${error.message}`, { cause: error })
    }
  }
  return {
    read: (day, name, limit) => read(origin.ofDay(day, name), limit),
    readRoot: (name, limit) => read(origin.root(name), limit),
  }
}
