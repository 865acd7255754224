// Writes files that only their owner can read, and that exist only once they are complete.
import { existsSync } from 'node:fs'
import { link, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isSystemError, reasonOf } from '../store/system-error.ts'

const PRIVATE = 0o600

/** The file within its temporary folder. */
const CONTENT = 'content'

/** What mkdtemp adds to a name. */
const RANDOM_SUFFIX = /^[A-Za-z0-9]{6}$/

/** A temporary folder whose file has not changed for this long was left by a killed process [ms]. */
const ABANDONED_AFTER_MS = 60 * 60 * 1000

/**
 * Writes a file with mode 0600 in a temporary folder of its own, syncs it, and links it to its name. The temporary
 * folder is next to the file; those that killed processes left for the same file are removed.
 * @param write fills the empty temporary file
 * @throws Error with one line if the file exists, also if it appears in the meantime
 */
export async function writePrivately<T>(
  path: string,
  write: (partial: string) => Promise<T>,
): Promise<T> {
  // Also before writing, which may take minutes.
  if (existsSync(path)) throw alreadyExists(path)
  const folder = await makeTemporaryFolder(path)
  try {
    // Best effort: they only take up space.
    await removeAbandoned(path, folder).catch(() => {})
    const partial = join(folder, CONTENT)
    const result = await writeSynced(partial, write)
    await linkNew(partial, path)
    await syncFolder(dirname(path))
    return result
  } finally {
    // If this fails, a later run removes it.
    await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}

async function makeTemporaryFolder(path: string): Promise<string> {
  try {
    return await mkdtemp(`${path}.partial-`)
  } catch (error) {
    // The message of the system names the temporary folder, which nobody asked for.
    if (!isSystemError(error)) throw error
    throw new Error(`${path}: ${reasonOf(error)}`, { cause: error })
  }
}

async function writeSynced<T>(path: string, write: (path: string) => Promise<T>): Promise<T> {
  const file = await open(path, 'wx', PRIVATE)
  try {
    const result = await write(path)
    await file.sync()
    return result
  } finally {
    await file.close()
  }
}

/** Gives a file a new name. Unlike a rename, a link never replaces a file that has this name. */
async function linkNew(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!isSystemError(error)) throw error
    if (error.code === 'EEXIST') throw alreadyExists(to)
    throw new Error(`${to}: needs a file system with hard links (${error.code})`, { cause: error })
  }
}

const alreadyExists = (path: string) => new Error(`${path}: already exists; choose another name`)

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

/** Makes the new name durable, so that it survives a power cut as the bytes do. */
async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a directory, and its file systems keep the order of changes by themselves.
  if (process.platform === 'win32') return
  const directory = await open(path)
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
