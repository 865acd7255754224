// Commits a staged day and applies it. Recovery after a kill runs the same function.
//
// A day is written in this order, each step durable before the next begins (FORMAT.md 12):
//   1. stage   `.staging/<day>/` gets the snapshot, then the media files. Nothing is published yet;
//              after a kill the next run continues from the staged snapshot.
//   2. commit  the manifest is staged. From now on the day will be published as it is.
//   3. apply   media files and `<day>.json` are renamed into `<day>/`, a seal records the manifest's
//              hash, and the manifest is renamed last, which makes the day exist. Then the staging
//              folder is removed. After a kill `recover` applies the rest.
// A repair that changes the manifest takes the same steps.
import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '../base/durable.ts'
import { nullIfMissing, systemCode } from '../base/system-error.ts'
import { ArchiveError, type ArchiveErrorCode, asReadError, nullIf } from '../errors.ts'
import { statsOf } from '../files.ts'
import { sha256Of } from '../format/hash.ts'
import {
  isUpgrade,
  type Manifest,
  manifestBytes,
  type NamedFile,
  namedFiles,
} from '../format/manifest.ts'
import {
  isDay,
  keyOf,
  manifestKey,
  manifestName,
  parseMediaName,
  SEALS_FOLDER,
  STAGING_FOLDER,
  sealName,
  stagingFolder,
  TEMPORARY,
} from '../format/paths.ts'
import { refuseOccupied } from '../place/folder.ts'
import {
  committedManifest,
  holds,
  moveIntoPlace,
  publishedManifest,
  removeStaging,
  stage,
  stagingOf,
  type WritableArchive,
} from './staging.ts'

/** The errors after which a commit can never be applied. */
const PERMANENT: readonly ArchiveErrorCode[] = ['conflict', 'incomplete_staging']

/**
 * Publishes a staged day. Sealing it again with the same manifest does nothing.
 * @throws ArchiveError `conflict`, `incomplete_staging`
 */
export async function seal(archive: WritableArchive, manifest: Manifest): Promise<void> {
  const { day } = manifest
  const already = await publishedManifest(archive, day)
  if (!already) return commit(archive, manifest)
  if (sha256Of(manifestBytes(already)) !== sha256Of(manifestBytes(manifest)))
    throw sealedOtherwise(day)
  await removeStaging(archive, day)
}

/**
 * Stages the manifest and applies it, if all its files are in place or staged.
 * @throws ArchiveError `conflict`, `incomplete_staging`; nothing is committed then
 */
export async function commit(archive: WritableArchive, manifest: Manifest): Promise<void> {
  const { day } = manifest
  const bytes = manifestBytes(manifest)
  const files = await filesToMove(archive, manifest)
  await stage(archive, day, bytes, manifestName(day))
  await apply(archive, manifest, files)
}

/** The outcome for the days that a killed run left in the staging folder. */
export interface Recovery {
  /** The days that are published now, ascending. */
  completed: string[]
  /** The days that could not be recovered. Nothing of them is lost; a later attempt may succeed. */
  failed: { day: string; error: ArchiveError }[]
}

/** Finishes the commits that a killed run did not fully apply. */
export async function recover(archive: WritableArchive): Promise<Recovery> {
  const staging = join(archive.dir, STAGING_FOLDER)
  const entries = (await readdir(staging, { withFileTypes: true }).catch(nullIfMissing)) ?? []
  const recovery: Recovery = { completed: [], failed: [] }
  for (const entry of entries.filter((entry) => isDay(entry.name)).sort(byName)) {
    const day = entry.name
    try {
      if (await recoverDay(archive, entry)) recovery.completed.push(day)
    } catch (error) {
      // A disk error on one day must not stop the others.
      if (!(error instanceof ArchiveError) && systemCode(error) === undefined) throw error
      recovery.failed.push({ day, error: asReadError(error, stagingOf(archive, day)) })
    }
  }
  return recovery
}

/** @returns whether the day was committed and is now published */
async function recoverDay(archive: WritableArchive, entry: Dirent): Promise<boolean> {
  const day = entry.name
  if (!entry.isDirectory()) {
    await removeStaging(archive, day)
    return false
  }
  const manifest = await committedManifest(archive, day).catch(nullIf('invalid_manifest'))
  if (manifest && (await tryToApply(archive, manifest))) return true
  // Withdraw a commit that can never be applied, because the disk was damaged or someone changed
  // files. The next run builds the day from what is left.
  await archive.disk.remove(join(stagingOf(archive, day), manifestName(day)))
  if (await publishedManifest(archive, day)) await removeStaging(archive, day)
  return false
}

/** Applies a commit. @returns false when it can never be applied */
async function tryToApply(archive: WritableArchive, manifest: Manifest): Promise<boolean> {
  try {
    await apply(archive, manifest, await filesToMove(archive, manifest))
    return true
  } catch (error) {
    if (error instanceof ArchiveError && PERMANENT.includes(error.code)) return false
    throw error
  }
}

/** Publishes a committed day. Repeatable, because `files` leaves out those that are in place. */
async function apply(
  archive: WritableArchive,
  manifest: Manifest,
  files: readonly NamedFile[],
): Promise<void> {
  const { dir, disk } = archive
  const { day } = manifest
  const target = join(dir, day)
  await disk.makeFolder(target)
  await disk.syncFolder(dir)
  for (const file of files) await moveIntoPlace(archive, day, file.name)
  await removeUnnamedMedia(archive, manifest)
  await disk.syncFolder(target)
  await record(archive, sealName(day, sha256Of(manifestBytes(manifest))))
  await moveIntoPlace(archive, day, manifestName(day))
  await disk.syncFolder(target)
  await removeStaging(archive, day)
}

/** Removes media files that an earlier attempt, with other tools, left in the day's folder. */
async function removeUnnamedMedia({ dir, disk }: WritableArchive, manifest: Manifest) {
  const folder = join(dir, manifest.day)
  const named = namedFiles(manifest).map((file) => file.name)
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isFile() && parseMediaName(entry.name) && !named.includes(entry.name))
      await disk.remove(join(folder, entry.name))
}

/**
 * Returns the staged files that must be moved to apply a manifest. They replace damaged media files,
 * except those that an already published manifest names, which are left to a repair.
 * @throws ArchiveError `conflict`, `incomplete_staging` when the manifest can never be applied
 */
async function filesToMove(archive: WritableArchive, manifest: Manifest): Promise<NamedFile[]> {
  const { day } = manifest
  const published = await publishedManifest(archive, day)
  if (published && !isUpgrade(published, manifest)) throw sealedOtherwise(day)
  const settled = published ? namedFiles(published).map((file) => file.name) : []
  const missing: NamedFile[] = []
  for (const file of namedFiles(manifest))
    if (!settled.includes(file.name) && !(await holds(archive, day, file))) missing.push(file)
  for (const file of missing) await refuseUnmovable(archive, day, file)
  await refuseOccupied(archive.dir, manifestKey(day))
  return missing
}

/**
 * @throws ArchiveError `conflict` when the day has another `<day>.json` or a non-empty folder has the
 *   file's name; `incomplete_staging` when the file is not staged
 */
async function refuseUnmovable(
  archive: WritableArchive,
  day: string,
  file: NamedFile,
): Promise<void> {
  if (file.kind === 'snapshot' && (await statsOf(archive.dir, day, file.name)))
    throw new ArchiveError('conflict', `${keyOf(day, file.name)}: exists with other bytes`)
  if (!(await holds(archive, stagingFolder(day), file)))
    throw new ArchiveError('incomplete_staging', `${keyOf(day, file.name)}: is not staged`)
  await refuseOccupied(archive.dir, keyOf(day, file.name))
}

/** Records a manifest's hash, as the name of an empty file, before the manifest is published. */
async function record(archive: WritableArchive, name: string): Promise<void> {
  const folder = join(archive.dir, SEALS_FOLDER)
  await archive.disk.makeFolder(folder)
  await archive.disk.syncFolder(archive.dir)
  await replaceFile(archive.disk, folder, TEMPORARY, new Uint8Array(), name)
}

function sealedOtherwise(day: string): ArchiveError {
  return new ArchiveError(
    'conflict',
    `${manifestKey(day)}: the day is sealed with another manifest`,
  )
}

function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : 1
}
