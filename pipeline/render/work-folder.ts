// The folders in which films are assembled: in a fixed location, so that the next run finds what a killed one left.
import { mkdir, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { FILM_FOLDER } from '../../archive/format/paths.ts'

const workFolders = (workDir: string): string => join(workDir, FILM_FOLDER)

/** Calls `work` with a folder for the day, and removes the folder afterwards. */
export async function withWorkFolder<T>(
  workDir: string,
  day: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = join(workFolders(workDir), day)
  await mkdir(folder, { recursive: true })
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
    // The parent stays while films of other days are in progress.
    await rmdir(dirname(folder)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'ENOENT') throw error
    })
  }
}

/** Removes the folders that a killed run has left. */
export async function removeWorkFolders(workDir: string): Promise<void> {
  await rm(workFolders(workDir), { recursive: true, force: true })
}
