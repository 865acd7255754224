// Reads and parses the snapshot and the manifest of a day at a place.
import { ArchiveError, type ArchiveErrorCode, naming } from '../base/errors.ts'
import { type Manifest, parseManifest } from '../format/manifest.ts'
import { manifestKey, snapshotKey } from '../format/paths.ts'
import { parseSnapshot, type Snapshot } from '../format/snapshot.ts'
import { type ReadablePlace, readExisting } from '../place/place.ts'

/** The parsed content of a file and the bytes it was parsed from. */
export interface LoadedManifest {
  manifest: Manifest
  bytes: Uint8Array
}

export interface LoadedSnapshot {
  snapshot: Snapshot
  bytes: Uint8Array
}

/** A manifest, and the version of its file when it was read: a repair may replace it. */
export interface ManifestFile extends LoadedManifest {
  version: string
}

/**
 * Reads the manifest of a day; null if there is none.
 * @throws ArchiveError `invalid_manifest`, `archive_unavailable`
 */
export async function readManifest(
  place: ReadablePlace,
  day: string,
): Promise<ManifestFile | null> {
  const key = manifestKey(day)
  const file = await readExisting(place, key, 'invalid_manifest')
  return file && { ...manifestOf(file.content, key, day), version: file.version }
}

/**
 * Reads the snapshot of a day; null if there is none.
 * @throws ArchiveError `invalid_snapshot`, `archive_unavailable`
 */
export async function readSnapshot(
  place: ReadablePlace,
  day: string,
): Promise<LoadedSnapshot | null> {
  const key = snapshotKey(day)
  const file = await readExisting(place, key, 'invalid_snapshot')
  return file && snapshotOf(file.content, key, day)
}

/** Parses a manifest. @throws ArchiveError `invalid_manifest` naming the file */
export function manifestOf(bytes: Uint8Array, shown: string, day: string): LoadedManifest {
  const manifest = naming(shown, () => parseManifest(bytes))
  demandDay(shown, 'invalid_manifest', manifest.day, day)
  return { manifest, bytes }
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
