// Keeps the files that show what somebody has done, for a third person who checks them again.
import { resolve } from 'node:path'
import { makeFolders } from '../../archive/base/folders.ts'
import { sha256Of } from '../../archive/format/hash.ts'
import { refusedName } from '../../archive/format/paths.ts'
import { folderPlace } from '../../archive/place/folder.ts'

/**
 * Keeps a file under its name and its hash, so that nothing is overwritten.
 * @returns its path
 * @throws ArchiveError if the folder cannot be written
 */
export async function keepEvidence(dir: string, name: string, bytes: Uint8Array): Promise<string> {
  const folder = resolve(dir)
  await makeFolders(folder)
  const place = folderPlace(folder)
  const target = refusedName(name, sha256Of(bytes))
  if (!(await place.stat(target))) await place.put(target, bytes)
  return place.pathOf(target)
}
