// Creates folders, and makes the names in them durable.
import { mkdir, open } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { systemCode } from './system-error.ts'

/** The path from the root of the file system. */
export const absolutePath = (path: string): string => resolve(path)

/**
 * Creates a folder and its parents. mkdir's own `recursive` never returns on file systems that fail
 * every mkdir with ENOENT, such as /proc.
 * @returns whether it was missing
 * @throws NodeJS.ErrnoException
 */
export async function makeFolders(path: string): Promise<boolean> {
  try {
    return await makeOneFolder(path)
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' || dirname(path) === path) throw error
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
    if (systemCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Syncs a folder, so that the names in it survive a power failure. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder, and its file systems keep renames in order.
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
