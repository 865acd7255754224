// Writes files so that a crash or power failure leaves either the old state or the new one, never a mixture.
import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ArchiveError, asWriteError, systemCode } from '../errors.ts'
import { nullIfMissing } from '../files.ts'

/**
 * The file system operations that an archive is written with. An interface, so that tests can
 * simulate a crash before, during or after each of them.
 */
export interface Disk {
  /** Creates a folder unless it exists. */
  makeFolder(path: string): Promise<void>
  /** Creates a read-only file and syncs it. A crash may leave part of it. */
  write(path: string, bytes: Uint8Array): Promise<void>
  /** Renames a file, atomically replacing any existing one. */
  rename(from: string, to: string): Promise<void>
  /** Removes a file, or a folder with its contents. A missing one is not an error. */
  remove(path: string): Promise<void>
  /** Syncs a folder, so that the names in it survive a power failure. */
  syncFolder(path: string): Promise<void>
}

/** The mode of published files, which never change. */
export const READ_ONLY = 0o444

export const realDisk: Disk = {
  async makeFolder(path) {
    await makeFolders(path)
  },

  async write(path, bytes) {
    const file = await open(path, 'wx')
    try {
      await file.writeFile(bytes)
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
    // Windows cannot open a folder, and its file systems keep renames in order.
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
 * A disk that reports a system error as ArchiveError `storage_full`, `archive_unwritable` or `storage_failed`, so that
 * failed writes can be distinguished from failed reads.
 * @param dir the archive's folder, for messages
 */
export function reportingDisk(disk: Disk, dir: string): Disk {
  const reporting = (write: Promise<void>) =>
    write.catch((error) => {
      throw systemCode(error) === undefined ? error : asWriteError(error, dir)
    })
  return {
    makeFolder: (path) => reporting(disk.makeFolder(path)),
    write: (path, bytes) => reporting(disk.write(path, bytes)),
    rename: (from, to) => reporting(disk.rename(from, to)),
    remove: (path) => reporting(disk.remove(path)),
    syncFolder: (path) => reporting(disk.syncFolder(path)),
  }
}

/**
 * Creates a folder and its parents. mkdir's own `recursive` never returns on file systems that fail
 * every mkdir with ENOENT, such as /proc.
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

/** @returns false when it exists, perhaps created by another process just now */
async function makeOneFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/**
 * Writes a file atomically: writes and syncs a temporary file, renames it, and syncs the folder.
 * @param temporary the temporary file's name; one that a killed run left behind is replaced
 */
export async function writeDurably(
  disk: Disk,
  folder: string,
  temporary: string,
  bytes: Uint8Array,
  name: string,
): Promise<void> {
  const path = join(folder, temporary)
  await disk.remove(path)
  try {
    await disk.write(path, bytes)
    await disk.rename(path, join(folder, name))
  } catch (error) {
    // Free the space on a full disk. If even that fails, the next run replaces the file.
    await disk.remove(path).catch(() => {})
    throw error
  }
  await disk.syncFolder(folder)
}

/**
 * Removes an empty folder that has the name of a file to be written.
 * @param key the file's path relative to `dir`
 * @throws ArchiveError `conflict` when the folder is not empty
 */
export async function removeEmptyFolder(disk: Disk, dir: string, key: string): Promise<void> {
  await refuseOccupied(dir, key)
  const path = join(dir, key)
  if ((await lstat(path).catch(nullIfMissing))?.isDirectory()) await disk.remove(path)
}

/** @throws ArchiveError `conflict` when a non-empty folder has the name of a file to be written */
export async function refuseOccupied(dir: string, key: string): Promise<void> {
  const stats = await lstat(join(dir, key)).catch(nullIfMissing)
  if (stats?.isDirectory() && (await readdir(join(dir, key))).length > 0)
    throw new ArchiveError('conflict', `${key}: is a folder with other files in it`)
}
