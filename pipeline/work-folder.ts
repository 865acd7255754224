// Where a day's film is put together: within the staging, so that what a kill leaves behind is found.
import { mkdir, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { STAGING_FOLDER, VIDEO_FOLDER } from '../archive/format/paths.ts'

const workFolders = (archiveDir: string): string => join(archiveDir, STAGING_FOLDER, VIDEO_FOLDER)

/** Gives `work` an empty folder of the day, and removes it afterwards. */
export async function withWorkFolder<T>(
  archiveDir: string,
  day: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = join(workFolders(archiveDir), day)
  await mkdir(folder, { recursive: true })
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
    // Films of other days may be in progress next to it.
    await rmdir(dirname(folder)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'ENOENT') throw error
    })
  }
}

/** Removes what a killed run has left. */
export async function removeWorkFolders(archiveDir: string): Promise<void> {
  await rm(workFolders(archiveDir), { recursive: true, force: true })
}
