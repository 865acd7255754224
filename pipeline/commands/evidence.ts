// Keeps files for readers: the files that show what somebody has done, for a third person who checks them again, and the
// checkpoint from one check to the next (--since, --update).
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { OWNER_ONLY, realDisk, replaceFile } from '../../archive/base/durable.ts'
import { asWriteError } from '../../archive/base/errors.ts'
import { makeFolders } from '../../archive/base/folders.ts'
import { readRegularFile } from '../../archive/base/regular-file.ts'
import { MAX_NOTE_BYTES } from '../../archive/format/bounds.ts'
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

/**
 * Reads the checkpoint of an earlier check.
 * @param mayBeMissing whether this run may be the first
 * @returns undefined if there is none yet
 * @throws Error with one line
 */
export function readSince(file: string, mayBeMissing: boolean): Uint8Array | undefined {
  return mayBeMissing && !existsSync(file) ? undefined : readRegularFile(file, MAX_NOTE_BYTES)
}

/** Replaces the file durably; a crash leaves the old checkpoint or the new one. @throws ArchiveError */
export async function replaceSince(file: string, note: string): Promise<void> {
  const path = existsSync(file) ? realpathSync(file) : resolve(file)
  const name = basename(path)
  try {
    const temporary = `.${name}.writing`
    await replaceFile(realDisk, dirname(path), temporary, Buffer.from(note), name, OWNER_ONLY)
  } catch (error) {
    throw asWriteError(error, file)
  }
}
