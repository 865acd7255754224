// Creates folders on any file system.
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { isSystemError, reasonOf } from './system-error.ts'

/**
 * Creates a folder and its missing parents. Unlike mkdir's own recursion, it fails at once on a file system that cannot
 * create folders, such as /proc.
 * @throws Error with one line that names the folder
 */
export function makeFolders(path: string): void {
  if (existsSync(path)) return
  makeFolders(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    if (isSystemError(error) && error.code === 'EEXIST') return
    throw new Error(`${path}: cannot be created: ${reasonOf(error as NodeJS.ErrnoException)}`, {
      cause: error,
    })
  }
}
