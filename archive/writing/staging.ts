// Where a day is assembled before it is published, and how its files get from there to the day.
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ArchiveError } from '../errors.ts'
import { loadManifest, loadSnapshot, namesIn, statsOf } from '../files.ts'
import { sha256Of } from '../format/hash.ts'
import {
  type AvailableMedium,
  type Manifest,
  type MediumProperties,
  mediumEntry,
  type NamedFile,
} from '../format/manifest.ts'
import {
  isDay,
  type MediaKind,
  mediaName,
  STAGING_FOLDER,
  stagingFolder,
  TEMPORARY,
} from '../format/paths.ts'
import type { Snapshot } from '../format/snapshot.ts'
import { type Disk, makeWay, writeDurably } from './durable.ts'

/** An archive being written: its absolute folder, and the disk that it is on. */
export interface WritableArchive {
  dir: string
  disk: Disk
}

/** The folder in which a day is staged, as an absolute path. */
export function stagingOf(archive: WritableArchive, day: string): string {
  return join(archive.dir, stagingFolder(day))
}

/** Writes a file of a day into its staging, durably. */
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
  await writeDurably(archive.disk, folder, TEMPORARY, bytes, name)
}

/** Stages a medium under the name that its hash gives. @returns its entry for the manifest */
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

/** The days in the staging. */
export async function stagedDays(dir: string): Promise<string[]> {
  return (await namesIn(join(dir, STAGING_FOLDER))).filter(isDay)
}

export async function removeStaging(archive: WritableArchive, day: string): Promise<void> {
  await archive.disk.remove(stagingOf(archive, day))
}

/**
 * The manifest of a sealed day; null when the day is not sealed.
 * @throws ArchiveError `invalid_manifest`
 */
export async function publishedManifest(
  { dir }: WritableArchive,
  day: string,
): Promise<Manifest | null> {
  return (await loadManifest(dir, day, day))?.manifest ?? null
}

/**
 * The manifest that a day is committed with; null when it is not committed.
 * @throws ArchiveError `invalid_manifest`
 */
export async function committedManifest(
  { dir }: WritableArchive,
  day: string,
): Promise<Manifest | null> {
  return (await loadManifest(dir, stagingFolder(day), day))?.manifest ?? null
}

/** The snapshot that an interrupted run has left of a day that is not sealed. */
export interface FixedSnapshot {
  snapshot: Snapshot
  /**
   * Whether it is in the day's folder already, as after a lost manifest or a kill before the last
   * rename. Later days may then name it, so no other snapshot can replace it.
   */
  inPlace: boolean
}

/**
 * What a day that is not sealed states already; null when that is open. A staged snapshot that
 * cannot be read is removed with its staging: nobody has seen it.
 * @throws ArchiveError `invalid_snapshot` when the one in the day's folder is damaged
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

/** Whether a folder of the archive has a file with exactly the bytes that a manifest names. */
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
 * Renames a staged file to its place. An empty folder of its name gives way. The names in the day's
 * folder are still to be synced.
 * @throws ArchiveError `conflict` when a folder with files has its name
 */
export async function moveIntoPlace(
  archive: WritableArchive,
  day: string,
  name: string,
): Promise<void> {
  const key = `${day}/${name}`
  await makeWay(archive.disk, archive.dir, key)
  await archive.disk.rename(join(stagingOf(archive, day), name), join(archive.dir, key))
}
