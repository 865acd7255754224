// Makes folders, on any file system.
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { isSystemError, reasonOf } from './system-error.ts'

/**
 * Makes a folder and those above it. Unlike mkdir's own recursion, this one fails at once where a file system makes no
 * folders at all, such as /proc.
 * @throws Error with one line that names the folder
 */
export function makeFolders(path: string): void {
  if (existsSync(path)) return
  makeFolders(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    if (isSystemError(error) && error.code === 'EEXIST') return
    throw new Error(`${path}: cannot be made: ${reasonOf(error as NodeJS.ErrnoException)}`, {
      cause: error,
    })
  }
}
