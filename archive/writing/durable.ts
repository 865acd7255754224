// Writes files so that a crash or a power cut leaves the old state or the new one, never a mixture.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/**
 * The writes that an archive is made of. Each may be cut short by a crash before, in or after it;
 * an interface, so that tests can do so.
 */
export interface Disk {
  /** Makes a folder, unless it is there. */
  makeFolder(path: string): Promise<void>
  /** Makes a new read-only file, synced. A crash may leave a part of it. */
  write(path: string, chunks: Chunks): Promise<void>
  /** Replaces what was there, in one step. */
  rename(from: string, to: string): Promise<void>
  /** Removes a file, or a folder with all in it; nothing there is fine. */
  remove(path: string): Promise<void>
  /** Makes the names in a folder outlast a power cut. */
  syncFolder(path: string): Promise<void>
}

/** Published bytes never change, and their mode says so. */
const READ_ONLY = 0o444

export const realDisk: Disk = {
  async makeFolder(path) {
    await makeFolders(path)
  },

  async write(path, chunks) {
    const file = await open(path, 'wx')
    try {
      for await (const chunk of chunks) await file.writeFile(chunk)
      await file.chmod(READ_ONLY)
      await file.sync()
    } finally {
      await file.close()
    }
  },

  async rename(from, to) {
    await rename(from, to)
  },

  async remove(path) {
    await rm(path, { recursive: true, force: true })
  },

  async syncFolder(path) {
    // Windows opens no folder; its file systems keep the order of renames by themselves.
    if (process.platform === 'win32') return
    const folder = await open(path, 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  },
}

/**
 * Makes a folder and those above it. With `recursive`, mkdir itself never returns on file systems
 * that refuse every folder with ENOENT, such as /proc.
 * @returns whether it was missing
 */
export async function makeFolders(path: string): Promise<boolean> {
  try {
    return await makeOneFolder(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' || dirname(path) === path) throw error
  }
  await makeFolders(dirname(path))
  return makeOneFolder(path)
}

/** @returns false where another process was quicker, or it was there */
async function makeOneFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

export interface Digest {
  /** 64 lowercase hex digits. */
  sha256: string
  bytes: number
}

/**
 * Writes a file whole or not at all: to a temporary name, synced, renamed, the folder synced.
 * @param temporary the name to write under; one that a killed run left behind is replaced
 * @param nameOf the final name, which may depend on what was written
 */
export async function writeDurably(
  disk: Disk,
  folder: string,
  temporary: string,
  chunks: Chunks,
  nameOf: (digest: Digest) => string,
): Promise<Digest> {
  const path = join(folder, temporary)
  await disk.remove(path)
  const digester = new Digester()
  try {
    await disk.write(path, digester.passing(chunks))
    await disk.rename(path, join(folder, nameOf(digester.digest())))
  } catch (error) {
    // A full disk gets its space back; when even that fails, the next run replaces the file.
    await disk.remove(path).catch(() => {})
    throw error
  }
  await disk.syncFolder(folder)
  return digester.digest()
}

/** The SHA-256 and length of a file. */
export async function digestOf(path: string): Promise<Digest> {
  const digester = new Digester()
  for await (const chunk of createReadStream(path)) digester.update(chunk)
  return digester.digest()
}

/** Takes the digest of bytes that come in chunks. */
class Digester {
  readonly #hash = createHash('sha256')
  #bytes = 0

  update(chunk: Uint8Array): void {
    this.#hash.update(chunk)
    this.#bytes += chunk.length
  }

  /** The same chunks, taken into account as they pass. */
  async *passing(chunks: Chunks): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.update(chunk)
      yield chunk
    }
  }

  /** Of all bytes so far. */
  digest(): Digest {
    return { sha256: this.#hash.copy().digest('hex'), bytes: this.#bytes }
  }
}
