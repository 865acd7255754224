// Writes files so that a crash or a power cut leaves the old state or the new one, never a mixture.
import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ArchiveError } from '../errors.ts'
import { nullIfMissing } from '../files.ts'

/**
 * The writes that an archive is made of. Each may be cut short by a crash before, in or after it;
 * an interface, so that tests can do so.
 */
export interface Disk {
  /** Makes a folder, unless it is there. */
  makeFolder(path: string): Promise<void>
  /** Makes a new read-only file, synced. A crash may leave a part of it. */
  write(path: string, bytes: Uint8Array): Promise<void>
  /** Replaces what was there, in one step. */
  rename(from: string, to: string): Promise<void>
  /** Removes a file, or a folder with all in it; nothing there is fine. */
  remove(path: string): Promise<void>
  /** Makes the names in a folder outlast a power cut. */
  syncFolder(path: string): Promise<void>
}

/** Published bytes never change, and their mode says so. */
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

/**
 * Writes a file whole or not at all: to a temporary name, synced, renamed, the folder synced.
 * @param temporary the name to write under; one that a killed run left behind is replaced
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
    // A full disk gets its space back; when even that fails, the next run replaces the file.
    await disk.remove(path).catch(() => {})
    throw error
  }
  await disk.syncFolder(folder)
}

/**
 * Removes an empty folder from where a file is to be.
 * @param key the file's name, seen from `dir`
 * @throws ArchiveError `conflict` when the folder has files
 */
export async function makeWay(disk: Disk, dir: string, key: string): Promise<void> {
  await refuseOccupied(dir, key)
  const path = join(dir, key)
  if ((await lstat(path).catch(nullIfMissing))?.isDirectory()) await disk.remove(path)
}

/** @throws ArchiveError `conflict` when a folder with files is where a file is to be */
export async function refuseOccupied(dir: string, key: string): Promise<void> {
  const stats = await lstat(join(dir, key)).catch(nullIfMissing)
  if (stats?.isDirectory() && (await readdir(join(dir, key))).length > 0)
    throw new ArchiveError('conflict', `${key}: is a folder with other files in it`)
}
