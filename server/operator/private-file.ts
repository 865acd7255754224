// Writes the files of operator commands: only their owner can read them, and they never replace another file.
import { existsSync } from 'node:fs'
import { writeNew } from '../../archive/base/durable.ts'
import { isSystemError, reasonOf } from '../../archive/base/system-error.ts'

/**
 * Writes a file that exists only once it is complete.
 * @param write fills the empty temporary file
 * @throws Error with one line if the file exists, also if it appears in the meantime
 */
export async function writePrivately<T>(
  path: string,
  write: (partial: string) => Promise<T>,
): Promise<T> {
  const alreadyExists = () => new Error(`${path}: already exists; choose another name`)
  // Also before writing, which may take minutes.
  if (existsSync(path)) throw alreadyExists()
  try {
    return await writeNew(path, write)
  } catch (error) {
    if (!isSystemError(error)) throw error
    const { syscall, code } = error
    if (syscall === 'link' && code === 'EEXIST') throw alreadyExists()
    if (syscall === 'link')
      throw new Error(`${path}: needs a file system with hard links (${code})`, { cause: error })
    // The message of the system names the temporary folder, which nobody asked for.
    if (syscall === 'mkdtemp') throw new Error(`${path}: ${reasonOf(error)}`, { cause: error })
    throw error
  }
}
