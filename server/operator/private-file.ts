// Files that only their owner may read, which are there whole or not at all.
import { existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

const PRIVATE = 0o600

/**
 * Makes a file of mode 0600: written under another name, on disk before it gets its own.
 * @param write fills the empty file of that other name; one that a kill has left is started again
 * @throws Error with one line when a file of the name exists
 */
export async function writePrivately<T>(
  path: string,
  write: (partial: string) => Promise<T>,
): Promise<T> {
  refuseExisting(path)
  const partial = `${path}.partial`
  await rm(partial, { force: true })
  const file = await open(partial, 'wx', PRIVATE)
  try {
    const result = await write(partial)
    await file.sync()
    refuseExisting(path)
    await rename(partial, path)
    await syncFolder(dirname(path))
    return result
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

function refuseExisting(path: string): void {
  if (existsSync(path)) throw new Error(`${path}: exists; name a new file`)
}

/** So that the name survives a power cut as the bytes do. */
async function syncFolder(path: string): Promise<void> {
  // Windows opens no folder; its file systems keep the order of renames by themselves.
  if (process.platform === 'win32') return
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
