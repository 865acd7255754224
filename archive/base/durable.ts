// Writes files so that a crash or power failure leaves either the old state or the new one, never a mixture.
import { link, mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeFolders, syncFolder } from './folders.ts'

/**
 * The file system operations that files are written with. An interface, so that tests can
 * simulate a crash before, during or after each of them.
 */
export interface Disk {
  /** Creates a folder unless it exists. */
  makeFolder(path: string): Promise<void>
  /** Creates a file with this mode and syncs it. A crash may leave part of it. */
  write(path: string, bytes: Uint8Array, mode: number): Promise<void>
  /** Renames a file, atomically replacing any existing one. */
  rename(from: string, to: string): Promise<void>
  /** Removes a file, or a folder with its contents. A missing one is not an error. */
  remove(path: string): Promise<void>
  /** Syncs a folder, so that the names in it survive a power failure. */
  syncFolder(path: string): Promise<void>
}

/** The mode of published files, which never change. */
export const READ_ONLY = 0o444

/** The mode of private files. */
export const OWNER_ONLY = 0o600

export const realDisk: Disk = {
  async makeFolder(path) {
    await makeFolders(path)
  },

  async write(path, bytes, mode) {
    const file = await open(path, 'wx', OWNER_ONLY)
    try {
      await file.writeFile(bytes)
      await file.chmod(mode)
      await file.sync()
    } finally {
      await file.close()
    }
  },

  rename,

  async remove(path) {
    await rm(path, { recursive: true, force: true })
  },

  syncFolder,
}

/**
 * Writes a file atomically, replacing any existing one: syncs a temporary file, renames it, and syncs the folder.
 * @param temporary the temporary file's name; one that a killed run left behind is replaced
 * @param name the file's name, or its path below the folder, whose last folder the caller must then sync
 */
export async function replaceFile(
  disk: Disk,
  folder: string,
  temporary: string,
  bytes: Uint8Array,
  name: string,
  mode = READ_ONLY,
): Promise<void> {
  const path = join(folder, temporary)
  await disk.remove(path)
  try {
    await disk.write(path, bytes, mode)
    await disk.rename(path, join(folder, name))
  } catch (error) {
    // Free the space on a full disk. If even that fails, the next run replaces the file.
    await disk.remove(path).catch(() => {})
    throw error
  }
  await disk.syncFolder(folder)
}

/** The file within its temporary folder. */
const CONTENT = 'content'

/** What mkdtemp adds to a name. */
const RANDOM_SUFFIX = /^[A-Za-z0-9]{6}$/

/** A temporary folder whose file has not changed for this long was left by a killed process [ms]. */
const ABANDONED_AFTER_MS = 60 * 60 * 1000

/**
 * Creates a file that exists only once it is complete, and that only its owner can read. It is written in a temporary
 * folder of its own next to the file, synced, and linked to its name; the folders that killed processes left for the
 * same file are removed.
 * @param write fills the empty temporary file
 * @throws NodeJS.ErrnoException: of `link` with EEXIST if the file exists, which is never replaced
 */
export async function writeNew<T>(
  path: string,
  write: (partial: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(`${path}.partial-`)
  try {
    // Best effort: they only take up space.
    await removeAbandoned(path, folder).catch(() => {})
    const partial = join(folder, CONTENT)
    const result = await writeSynced(partial, write)
    // Unlike a rename, a link never replaces a file that has this name.
    await link(partial, path)
    await syncFolder(dirname(path))
    return result
  } finally {
    // If this fails, a later run removes it.
    await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}

async function writeSynced<T>(path: string, write: (path: string) => Promise<T>): Promise<T> {
  const file = await open(path, 'wx', OWNER_ONLY)
  try {
    const result = await write(path)
    await file.sync()
    return result
  } finally {
    await file.close()
  }
}

/** Removes the temporary folders of killed runs. Compares times of the file system only, whose clock may differ. */
async function removeAbandoned(path: string, ownFolder: string): Promise<void> {
  const { mtimeMs: now } = await stat(ownFolder)
  const prefix = `${basename(path)}.partial-`
  for (const entry of await readdir(dirname(path), { withFileTypes: true })) {
    const { name } = entry
    const isOurs = name.startsWith(prefix) && RANDOM_SUFFIX.test(name.slice(prefix.length))
    if (!isOurs || !entry.isDirectory()) continue
    const folder = join(dirname(path), name)
    const { mtimeMs } = await stat(join(folder, CONTENT)).catch(() => stat(folder))
    if (now - mtimeMs > ABANDONED_AFTER_MS) await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Writes chunks to a new file, and syncs it once `check` has accepted them.
 * @param path a file that a killed run left there is replaced
 * @param check reads the chunks, each of which is written before
 * @throws whatever `check` throws; the file is then of no use
 */
export async function writeChecked(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  check: (written: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> {
  await rm(path, { force: true })
  const file = await open(path, 'wx')
  const written = async function* () {
    for await (const chunk of chunks) {
      await file.writeFile(chunk)
      yield chunk
    }
  }
  try {
    await check(written())
    await file.chmod(READ_ONLY)
    await file.sync()
  } finally {
    await file.close()
  }
}
