// Assembles a day in the staging folder, and moves its files from there into the day's folder.

import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Disk, replaceFile } from '../base/durable.ts'
import { ArchiveError } from '../errors.ts'
import { loadManifest, loadSnapshot, statsOf } from '../files.ts'
import type { MediumProperties } from '../format/facts.ts'
import { sha256Of } from '../format/hash.ts'
import {
  type AvailableMedium,
  type Manifest,
  mediumEntry,
  type NamedFile,
} from '../format/manifest.ts'
import type { MediaKind } from '../format/media.ts'
import { keyOf, mediaName, stagingFolder, TEMPORARY } from '../format/paths.ts'
import type { Snapshot } from '../format/snapshot.ts'
import { removeEmptyFolder } from '../place/folder.ts'

/** An archive open for writing: the absolute path of its folder, and the disk to write with. */
export interface WritableArchive {
  dir: string
  disk: Disk
}

/** The absolute path of a day's staging folder. */
export function stagingOf(archive: WritableArchive, day: string): string {
  return join(archive.dir, stagingFolder(day))
}

/** Writes a file durably into the day's staging folder. */
export async function stage(
  archive: WritableArchive,
  day: string,
  bytes: Uint8Array,
  name: string,
): Promise<void> {
  const folder = stagingOf(archive, day)
  await archive.disk.makeFolder(folder)
  await archive.disk.syncFolder(dirname(folder))
  await archive.disk.syncFolder(archive.dir)
  await replaceFile(archive.disk, folder, TEMPORARY, bytes, name)
}

/** Stages a media file under the name of its hash. @returns its entry for the manifest */
export async function stageMedium(
  archive: WritableArchive,
  day: string,
  kind: MediaKind,
  bytes: Uint8Array,
  properties: MediumProperties,
): Promise<AvailableMedium> {
  const sha256 = sha256Of(bytes)
  await stage(archive, day, bytes, mediaName(sha256, kind))
  return mediumEntry(day, kind, { sha256, bytes: bytes.length }, properties)
}

export async function removeStaging(archive: WritableArchive, day: string): Promise<void> {
  await archive.disk.remove(stagingOf(archive, day))
}

/**
 * Reads the manifest of a sealed day; null when the day is not sealed.
 * @throws ArchiveError `invalid_manifest`
 */
export async function publishedManifest(
  { dir }: WritableArchive,
  day: string,
): Promise<Manifest | null> {
  return (await loadManifest(dir, day, day))?.manifest ?? null
}

/**
 * Reads the staged manifest of a committed day; null when the day is not committed.
 * @throws ArchiveError `invalid_manifest`
 */
export async function committedManifest(
  { dir }: WritableArchive,
  day: string,
): Promise<Manifest | null> {
  return (await loadManifest(dir, stagingFolder(day), day))?.manifest ?? null
}

/** The snapshot of an unsealed day that an interrupted run has already fixed. */
export interface FixedSnapshot {
  snapshot: Snapshot
  /**
   * Whether it is already in the day's folder, because the manifest was lost or a run was killed before
   * the last rename. It must not be replaced then, because later days may name it.
   */
  inPlace: boolean
}

/**
 * Finds the fixed snapshot of an unsealed day; null when there is none. Removes the staging folder of
 * a damaged staged snapshot, which was never published.
 * @throws ArchiveError `invalid_snapshot` when the snapshot in the day's folder is damaged
 */
export async function fixedSnapshot(
  archive: WritableArchive,
  day: string,
): Promise<FixedSnapshot | null> {
  if (await publishedManifest(archive, day)) return null
  const inPlace = await loadSnapshot(archive.dir, day, day)
  if (inPlace) return { snapshot: inPlace.snapshot, inPlace: true }
  try {
    const staged = await loadSnapshot(archive.dir, stagingFolder(day), day)
    return staged && { snapshot: staged.snapshot, inPlace: false }
  } catch (error) {
    if (!(error instanceof ArchiveError) || error.code !== 'invalid_snapshot') throw error
    await removeStaging(archive, day)
    return null
  }
}

/** Whether a folder of the archive has this file with the size and hash that the manifest names. */
export async function holds(
  { dir }: WritableArchive,
  folder: string,
  file: NamedFile,
): Promise<boolean> {
  const stats = await statsOf(dir, folder, file.name)
  if (stats?.size !== BigInt(file.bytes)) return false
  return sha256Of(await readFile(join(dir, folder, file.name))) === file.sha256
}

/**
 * Renames a staged file into the day's folder, replacing an empty folder of its name. The caller must
 * sync the day's folder.
 * @throws ArchiveError `conflict` when a non-empty folder has its name
 */
export async function moveIntoPlace(
  archive: WritableArchive,
  day: string,
  name: string,
): Promise<void> {
  const key = keyOf(day, name)
  await removeEmptyFolder(archive.disk, archive.dir, key)
  await archive.disk.rename(join(stagingOf(archive, day), name), join(archive.dir, key))
}
