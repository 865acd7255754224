// Where a day's film is put together, so that what a kill leaves behind is found: in the staging of an archive's folder,
// or next to the database where the archive is elsewhere.
import { mkdir, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { VIDEO_FOLDER } from '../archive/format/paths.ts'

const workFolders = (workDir: string): string => join(workDir, VIDEO_FOLDER)

/** Gives `work` an empty folder of the day, and removes it afterwards. */
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
    // Films of other days may be in progress next to it.
    await rmdir(dirname(folder)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'ENOENT') throw error
    })
  }
}

/** Removes what a killed run has left. */
export async function removeWorkFolders(workDir: string): Promise<void> {
  await rm(workFolders(workDir), { recursive: true, force: true })
}
