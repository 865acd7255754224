// Ensures that one pipeline runs at a time, with a lock that the kernel releases however its holder ends.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { LOCK_FILE } from '../../archive/format/paths.ts'
import { nameOfArchive } from '../../archive/place/location.ts'
import type { Database } from '../database/database.ts'
import type { DataConfig } from './location.ts'

/** The exit code of a pipeline that finds another one running: EX_TEMPFAIL of sysexits.h. */
export const EXIT_BUSY = 75

export class PipelineBusy extends Error {
  override name = 'PipelineBusy'
}

/**
 * Takes the local lock of an archive and, if other hosts share the database, a lease against them. The lock of a bucket is in
 * the folder of the data.
 * @returns a function that releases both
 * @throws PipelineBusy when another pipeline holds either
 */
export async function lockForPipeline(
  database: Database,
  { archive, dataDir }: Pick<DataConfig, 'archive' | 'dataDir'>,
): Promise<() => Promise<void>> {
  const name = nameOfArchive(archive)
  const unlock = lockArchive('dir' in archive ? archive.dir : dataDir, name)
  try {
    const lease = await database.takeLease?.(`pipeline ${name}`)
    if (lease === null)
      throw new PipelineBusy(
        `${name}: a pipeline is running on another host, or was killed in the last 30 s`,
      )
    return async () => {
      unlock()
      await lease?.release()
    }
  } catch (error) {
    unlock()
    throw error
  }
}

/** SQLite's primary result code when another process holds the lock. */
const SQLITE_BUSY = 5

/**
 * Takes the lock of an archive. SQLite is used only for its file locks, which work across processes
 * on every system and end with their process. The file stays empty.
 * @returns a function that releases the lock
 * @throws PipelineBusy when another pipeline holds it
 */
export function lockArchive(folder: string, name: string = folder): () => void {
  const path = join(folder, LOCK_FILE)
  let file: DatabaseSync | undefined
  try {
    file = new DatabaseSync(path, { timeout: 0 })
    file.exec('begin exclusive')
  } catch (error) {
    file?.close()
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY)
      throw new PipelineBusy(`${name}: another pipeline is running`)
    throw new Error(`${path}: cannot be locked: ${(error as Error).message}`, { cause: error })
  }
  const held = file
  return () => held.close()
}
