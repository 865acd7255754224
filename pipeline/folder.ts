// Creates the archive's folder at the first start. Later a missing folder is an error (API.md 9.4).
import { existsSync } from 'node:fs'
import { loadMirror } from '../archive/files.ts'
import { openWriter } from '../archive/writing/writer.ts'
import type { Database } from '../server/database/database.ts'
import { initSetting, readSetting } from '../server/database/settings/settings.ts'

/** The error for an archive's folder that was created once and is missing. */
export const ARCHIVE_MISSING =
  'the archive was here once and is missing; restore it, or set ARCHIVE_DIR'

/**
 * Creates the folder unless this database has ever recorded one at this path. Safe to call at every start.
 * @returns whether the folder exists; false when it was created once and is now missing
 * @throws ArchiveError when it cannot be created
 */
export async function ensureArchiveFolder(
  database: Database,
  archiveDir: string,
): Promise<boolean> {
  const created = `archive.created ${archiveDir}`
  if ((await readSetting(database.db, created)) !== null) return existsSync(archiveDir)
  await openWriter(archiveDir, { create: true })
  await database.write((tx) => initSetting(tx, created, 'yes'))
  return true
}

/**
 * Rejects a mirror, which must get its days only from its source.
 * @throws Error with one line when the folder is a mirror
 */
export async function refuseMirror(archiveDir: string): Promise<void> {
  const mirror = await loadMirror(archiveDir)
  if (mirror)
    throw new Error(
      `${archiveDir}: is a mirror of ${mirror.source}; only npm run mirror may add days to it`,
    )
}
