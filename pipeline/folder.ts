// The archive's folder: made once, at the first start; later its absence is an error (API.md 9.4).
import { existsSync } from 'node:fs'
import { loadMirror } from '../archive/files.ts'
import { openWriter } from '../archive/writing/writer.ts'
import type { Store } from '../server/store/database.ts'
import { initSetting, readSetting } from '../server/store/settings.ts'

/** Said of an archive's folder that was made once and is gone. */
export const ARCHIVE_MISSING =
  'the archive was here once and is missing; restore it, or set ARCHIVE_DIR'

/**
 * Makes the folder when this database never had one at this place. Harmless at every start.
 * @returns whether the folder is there; false when it was made once and is missing now
 * @throws ArchiveError when it cannot be made
 */
export async function ensureArchiveFolder(store: Store, archiveDir: string): Promise<boolean> {
  const created = `archive.created ${archiveDir}`
  if ((await readSetting(store.db, created)) !== null) return existsSync(archiveDir)
  await openWriter(archiveDir, { create: true })
  await store.write((tx) => initSetting(tx, created, 'yes'))
  return true
}

/**
 * A mirror gets its days from its source only.
 * @throws Error with one line when the folder is one
 */
export async function refuseMirror(archiveDir: string): Promise<void> {
  const mirror = await loadMirror(archiveDir)
  if (mirror)
    throw new Error(
      `${archiveDir}: is a mirror of ${mirror.source}, which npm run mirror keeps; no day is made here`,
    )
}
