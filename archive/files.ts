// Reads the files of an archive's folder without following links (FORMAT.md 2.2).
import { type BigIntStats, createReadStream } from 'node:fs'
import { lstat, open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { nullIfMissing } from './base/system-error.ts'
import { ArchiveError, type ArchiveErrorCode, naming, unreadableAs } from './errors.ts'
import { boundOf } from './format/bounds.ts'
import { type Manifest, parseManifest } from './format/manifest.ts'
import { isDay, keyOf, STAGING_FOLDER, snapshotName } from './format/paths.ts'
import { parseSnapshot, type Snapshot } from './format/snapshot.ts'
import type { Place } from './place/place.ts'

/** The stats of a regular file in a folder of the archive; null if there is none or the folder is a link. */
export async function statsOf(
  dir: string,
  folder: string,
  name: string,
): Promise<BigIntStats | null> {
  try {
    if (!(await lstat(join(dir, folder))).isDirectory()) return null
    const stats = await lstat(join(dir, folder, name), { bigint: true })
    return stats.isFile() ? stats : null
  } catch (error) {
    return nullIfMissing(error)
  }
}

/** The bytes of such a file, or null. Reads at most one byte more than its bound, which shows that it is too large. */
export async function bytesOf(
  dir: string,
  folder: string,
  name: string,
): Promise<Uint8Array | null> {
  const stats = await statsOf(dir, folder, name)
  if (!stats) return null
  const path = join(dir, folder, name)
  const bound = boundOf(name)
  return stats.size > bound ? buffer(createReadStream(path, { end: bound })) : readFile(path)
}

/** Opens a file and closes it again, since permission to list a folder does not imply permission to read. */
export async function tryToOpen(path: string): Promise<void> {
  await (await open(path)).close()
}

/** The names in a folder, sorted; an empty list if the folder does not exist. */
export async function namesIn(path: string): Promise<string[]> {
  const names = (await readdir(path).catch(nullIfMissing)) ?? []
  return names.sort()
}

/** The days in the staging folder, which only a folder has. @throws ArchiveError `archive_unavailable` */
export async function stagedDays(place: Pick<Place, 'entries'>): Promise<string[]> {
  const entries = (await place.entries?.(STAGING_FOLDER)) ?? []
  return entries.map(({ name }) => name).filter(isDay)
}

/** The parsed content of a file and the bytes it was parsed from. */
export interface LoadedManifest {
  manifest: Manifest
  bytes: Uint8Array
}

export interface LoadedSnapshot {
  snapshot: Snapshot
  bytes: Uint8Array
}

/** Parses a manifest. @throws ArchiveError `invalid_manifest` naming the file */
export function manifestOf(bytes: Uint8Array, shown: string, day: string): LoadedManifest {
  const manifest = naming(shown, () => parseManifest(bytes))
  demandDay(shown, 'invalid_manifest', manifest.day, day)
  return { manifest, bytes }
}

/** Loads `<day>.json` in the same way. @throws ArchiveError `invalid_snapshot` naming the file */
export async function loadSnapshot(
  dir: string,
  folder: string,
  day: string,
): Promise<LoadedSnapshot | null> {
  const name = snapshotName(day)
  const shown = keyOf(folder, name)
  const bytes = await bytesOf(dir, folder, name).catch(unreadableAs('invalid_snapshot', shown))
  return bytes && snapshotOf(bytes, shown, day)
}

/** Parses a snapshot. @throws ArchiveError `invalid_snapshot` naming the file */
export function snapshotOf(bytes: Uint8Array, shown: string, day: string): LoadedSnapshot {
  const snapshot = naming(shown, () => parseSnapshot(bytes))
  demandDay(shown, 'invalid_snapshot', snapshot.day, day)
  return { snapshot, bytes }
}

function demandDay(name: string, code: ArchiveErrorCode, actual: string, expected: string): void {
  if (actual !== expected) throw new ArchiveError(code, `${name}: is of ${actual}`)
}
