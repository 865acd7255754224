// One pipeline at a time: a lock that the kernel lets go of, however its holder ends.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { LOCK_FILE } from '../archive/format/paths.ts'
import { isBusy } from '../server/store/sqlite.ts'

/** The exit status of a pipeline that finds another at work: EX_TEMPFAIL, as in sysexits.h. */
export const EXIT_BUSY = 75

export class PipelineBusy extends Error {
  override name = 'PipelineBusy'
}

/**
 * Takes the lock of an archive; returns what lets go of it. SQLite is here only for its file locks,
 * which hold across processes on every system and end with their process: the file stays empty.
 * @throws PipelineBusy when another pipeline holds it
 */
export function lockArchive(archiveDir: string): () => void {
  const path = join(archiveDir, LOCK_FILE)
  let file: DatabaseSync | undefined
  try {
    file = new DatabaseSync(path, { timeout: 0 })
    file.exec('begin exclusive')
  } catch (error) {
    file?.close()
    if (isBusy(error)) throw new PipelineBusy(`${archiveDir}: another pipeline is at work`)
    throw new Error(`${path}: cannot be locked: ${(error as Error).message}`, { cause: error })
  }
  const held = file
  return () => held.close()
}
