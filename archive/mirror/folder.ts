// Reads and writes the folder of a mirror: its settings, staged manifests, downloads and refused files.
import { ArchiveError } from '../base/errors.ts'
import { absolutePath, makeFolders } from '../base/folders.ts'
import { sha256Of } from '../format/hash.ts'
import type { NamedFile } from '../format/manifest.ts'
import { FULL_SELECTION, includes, type MirrorSettings, type Selection } from '../format/mirror.ts'
import {
  keyOf,
  LOCK_FILE,
  manifestName,
  partName,
  partTagName,
  REFUSED_FOLDER,
  ROOT,
  refusedName,
  stagingFolder,
  TEMPORARY,
} from '../format/paths.ts'
import type { Download } from '../place/download.ts'
import { type FolderPlace, folderPlace } from '../place/folder.ts'
import { ArchiveReader } from '../reading/reader.ts'

/** A hostile source must not fill the disk with refused files. */
const MAX_REFUSED = 64

/**
 * Creates the folder if it is missing.
 * @throws ArchiveError `not_a_mirror` if the folder contains something else
 */
export async function prepareFolder(dir: string): Promise<void> {
  await makeFolders(absolutePath(dir))
  const place = folderPlace(dir)
  if (await new ArchiveReader(place).mirror()) return
  const names = (await place.entries(ROOT)).map(({ name }) => name)
  // A first run may have been shown a log with two faces, and kept what it saw.
  const other = names.find(
    (name) => !name.startsWith(LOCK_FILE) && ![TEMPORARY, REFUSED_FOLDER].includes(name),
  )
  if (other === undefined) return
  throw new ArchiveError(
    'not_a_mirror',
    `${dir}: is neither empty nor a mirror (it contains ${JSON.stringify(other)}); name another folder`,
  )
}

/**
 * Merges the requested selection into the mirror's settings. Writes nothing.
 * @param wanted the requested selection; absent properties stay as they are
 * @throws ArchiveError `not_a_mirror` if the mirror already has more than that
 */
export async function settingsFor(
  mirror: FolderPlace,
  source: string,
  wanted: Partial<Selection>,
): Promise<MirrorSettings> {
  const before = await new ArchiveReader(mirror).mirror()
  const settings = { ...FULL_SELECTION, ...before, ...wanted, source }
  if (before && !includes(settings, before))
    throw new ArchiveError(
      'not_a_mirror',
      `${mirror.name}: has more days or media than requested; a mirror can only be widened`,
    )
  return settings
}

/** The key of a verified manifest whose day is incomplete. */
export function stagedKey(day: string): string {
  return keyOf(stagingFolder(day), manifestName(day))
}

/** Prepares the download of a media file. */
export async function incoming(
  mirror: FolderPlace,
  day: string,
  { name, sha256, bytes }: NamedFile,
): Promise<Download> {
  const folder = stagingFolder(day)
  await makeFolders(mirror.pathOf(folder))
  const part = mirror.pathOf(keyOf(folder, partName(name)))
  const tag = mirror.pathOf(keyOf(folder, partTagName(name)))
  return { key: keyOf(day, name), sha256, bytes, part, tag }
}

/**
 * Keeps a file from the source that contradicts this mirror, as evidence.
 * @returns its key in the mirror
 */
export async function keepRefused(
  mirror: FolderPlace,
  name: string,
  bytes: Uint8Array,
): Promise<string> {
  const target = refusedName(name, sha256Of(bytes))
  const key = keyOf(REFUSED_FOLDER, target)
  const names = (await mirror.entries(REFUSED_FOLDER)).map((entry) => entry.name)
  if (!names.includes(target) && names.length < MAX_REFUSED) await mirror.put(key, bytes)
  return key
}
