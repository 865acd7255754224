// Keeps the files that show what somebody has done, for a third person who checks them again.
import { resolve } from 'node:path'
import { makeFolders } from '../../archive/base/folders.ts'
import { sha256Of } from '../../archive/format/hash.ts'
import { refusedName } from '../../archive/format/paths.ts'
import { folderPlace } from '../../archive/place/folder.ts'
import type { Place } from '../../archive/place/place.ts'

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

/**
 * Copies files of an archive, so that the folder can be judged as an archive of its own.
 * @param own further files, by name
 * @param keys the files of the archive
 * @throws Error with one line if a file cannot be read, or another one has its name
 */
export async function copyEvidence(
  dir: string,
  archive: Place,
  own: ReadonlyMap<string, Uint8Array>,
  keys: readonly string[],
): Promise<void> {
  const folder = resolve(dir)
  await makeFolders(folder)
  const place = folderPlace(folder)
  const keep = async (key: string, bytes: Uint8Array) => {
    if ((await place.putIfAbsent(key, bytes)) === null)
      throw new Error(`${place.pathOf(key)}: is another file; name an empty folder`)
  }
  for (const [name, bytes] of own) await keep(name, bytes)
  for (const key of keys) {
    const file = await archive.read(key)
    if ('problem' in file) throw new Error(`${key}: ${file.problem.message} now; try again`)
    await keep(key, file.content)
  }
}
