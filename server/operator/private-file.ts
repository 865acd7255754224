// Writes files that only their owner can read, and that exist only once they are complete.
import { existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

const PRIVATE = 0o600

/**
 * Writes a file with mode 0600 under a temporary name, syncs it, and renames it.
 * @param write fills the empty temporary file; one left by a killed process is replaced
 * @throws Error with one line if the file exists
 */
export async function writePrivately<T>(
  path: string,
  write: (partial: string) => Promise<T>,
): Promise<T> {
  requireAbsent(path)
  const partial = `${path}.partial`
  await rm(partial, { force: true })
  const file = await open(partial, 'wx', PRIVATE)
  try {
    const result = await write(partial)
    await file.sync()
    requireAbsent(path)
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

function requireAbsent(path: string): void {
  if (existsSync(path)) throw new Error(`${path}: already exists; choose another name`)
}

/** Makes the rename durable, so that the name survives a power cut as the bytes do. */
async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a directory, and its file systems keep the order of renames by themselves.
  if (process.platform === 'win32') return
  const directory = await open(path)
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
