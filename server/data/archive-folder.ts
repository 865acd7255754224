// Creates the archive's folder at the first start. Later a missing folder is an error (API.md 9.4).
import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ArchiveError, asReadError, asWriteError } from '../../archive/base/errors.ts'
import { makeFolders, syncFolder } from '../../archive/base/folders.ts'
import { systemCode } from '../../archive/base/system-error.ts'
import type { Database } from '../database/database.ts'
import { initSetting, readSetting } from '../database/settings/settings.ts'

/** The error for an archive's folder that was created once and is missing. */
export const ARCHIVE_MISSING =
  'the archive was here once and is missing; restore it, or set ARCHIVE_DIR'

/**
 * Creates the folder unless this database has ever recorded one at this path. Safe to call at every start.
 * @returns whether the folder exists; false when it was created once and is now missing
 * @throws ArchiveError when it cannot be created or is not a folder
 */
export async function ensureArchiveFolder(database: Database, dir: string): Promise<boolean> {
  const created = `archive.created ${dir}`
  if ((await readSetting(database.db, created)) !== null) return existsSync(dir)
  try {
    if (await makeFolders(dir)) await syncFolder(dirname(dir))
  } catch (error) {
    throw systemCode(error) === 'ENOTDIR' ? asReadError(error, dir) : asWriteError(error, dir)
  }
  if (!statSync(dir).isDirectory())
    throw new ArchiveError('archive_unavailable', `${dir}: is not a folder`)
  await database.write((tx) => initSetting(tx, created, 'yes'))
  return true
}
