// Commits a staged day and applies it; recovery after a kill runs the same function.
//
// A day comes to be in this order, each step durable before the next begins:
//   1. stage   `.staging/<day>/` gets the snapshot, then the media. Killed here: the next run goes
//              on from the staged snapshot, and nothing of the day is published.
//   2. commit  the manifest is staged. From here on the day will be published as it is.
//   3. apply   media and `<day>.json` are renamed into `<day>/`; the manifest's hash is put on
//              record; the manifest is renamed, last: the day exists. Then the staging is removed.
//              Killed here: `recover` applies again, and leaves alone what is in its place.
// A repair that changes the manifest goes the same way.
import type { Dirent } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ArchiveError, type ArchiveErrorCode } from '../errors.ts'
import { sha256Of } from '../format/hash.ts'
import {
  isUpgrade,
  type Manifest,
  manifestBytes,
  type NamedFile,
  namedFiles,
  parseManifest,
} from '../format/manifest.ts'
import {
  isDay,
  manifestName,
  parseMediaName,
  SEALS_FOLDER,
  STAGING_FOLDER,
  sealName,
  TEMPORARY,
} from '../format/paths.ts'
import { writeDurably } from './durable.ts'
import {
  bytesOf,
  committedManifest,
  holds,
  makeRoom,
  nullIfNoFile,
  publishedManifest,
  removeStaging,
  stage,
  stagingOf,
  type WritableArchive,
} from './staging.ts'

/** Why a commit cannot be applied, however often it is tried. */
const HOPELESS: readonly ArchiveErrorCode[] = ['conflict', 'incomplete_staging']

/**
 * Publishes a staged day. Again with the same manifest is fine.
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

/** Refuses what `apply` could not finish; then stages the manifest, and applies. */
export async function commit(archive: WritableArchive, manifest: Manifest): Promise<void> {
  const { day } = manifest
  const bytes = manifestBytes(manifest)
  await missingFiles(archive, manifest)
  await stage(archive, day, [bytes], () => manifestName(day))
  await apply(archive, day)
}

/**
 * Finishes what a kill interrupted between commit and the end of apply.
 * @returns the days completed, ascending
 */
export async function recover(archive: WritableArchive): Promise<string[]> {
  const staging = join(archive.dir, STAGING_FOLDER)
  const entries = (await readdir(staging, { withFileTypes: true }).catch(nullIfNoFile)) ?? []
  const completed: string[] = []
  for (const entry of entries.filter((entry) => isDay(entry.name)).sort(byName)) {
    // A day on which the disk fails says so in its own run, and must not stop the others.
    const done = await recoverDay(archive, entry).catch(() => false)
    if (done) completed.push(entry.name)
  }
  return completed
}

/** Whether a day was committed, and is published now. */
async function recoverDay(archive: WritableArchive, entry: Dirent): Promise<boolean> {
  const day = entry.name
  if (!entry.isDirectory()) await removeStaging(archive, day)
  else if (await finish(archive, day)) return true
  else if (await publishedManifest(archive, day)) await removeStaging(archive, day)
  return false
}

/**
 * Applies a committed day. A commit that can never be applied, since the disk was damaged or other
 * hands were at work, is withdrawn: the next run then makes the day from what is left.
 */
async function finish(archive: WritableArchive, day: string): Promise<boolean> {
  const manifest = await committedManifest(archive, day).catch(nullIfInvalid)
  try {
    if (manifest) await apply(archive, day)
    if (manifest) return true
  } catch (error) {
    if (!(error instanceof ArchiveError) || !HOPELESS.includes(error.code)) throw error
  }
  await archive.disk.remove(join(stagingOf(archive, day), manifestName(day)))
  return false
}

/** Publishes a committed day. Repeatable: each step finds out whether it has been done. */
async function apply(archive: WritableArchive, day: string): Promise<void> {
  const { dir, disk } = archive
  const [staging, target] = [stagingOf(archive, day), join(dir, day)]
  const bytes = await readFile(join(staging, manifestName(day)))
  const manifest = parseManifest(bytes)
  const files = await missingFiles(archive, manifest)
  await disk.makeFolder(target)
  await disk.syncFolder(dir)
  for (const file of files) await disk.rename(join(staging, file.name), join(target, file.name))
  await removeUnnamedMedia(archive, manifest)
  await disk.syncFolder(target)
  await putOnRecord(archive, sealName(day, sha256Of(bytes)))
  await disk.rename(join(staging, manifestName(day)), join(target, manifestName(day)))
  await disk.syncFolder(target)
  await removeStaging(archive, day)
}

/** Media that an earlier attempt at the day left in its folder, as one that other tools had rendered. */
async function removeUnnamedMedia({ dir, disk }: WritableArchive, manifest: Manifest) {
  const folder = join(dir, manifest.day)
  const named = namedFiles(manifest).map((file) => file.name)
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isFile() && parseMediaName(entry.name) && !named.includes(entry.name))
      await disk.remove(join(folder, entry.name))
}

/**
 * The staged files that are still to be put in their place; a damaged medium is among them, since
 * it is not what its name says.
 * @throws ArchiveError `conflict` when the day is sealed with a manifest that this one may not
 *   replace, has another `<day>.json`, or a folder with files in a file's place; `incomplete_staging` when a file is nowhere
 */
async function missingFiles(archive: WritableArchive, manifest: Manifest): Promise<NamedFile[]> {
  const { day } = manifest
  const target = join(archive.dir, day)
  const before = await publishedManifest(archive, day)
  if (before && !isUpgrade(before, manifest)) throw sealedOtherwise(day)
  const settled = new Set(before ? namedFiles(before).map((file) => file.name) : [])
  if (!before) await makeRoom(archive, day, manifestName(day))
  const missing: NamedFile[] = []
  for (const file of namedFiles(manifest)) {
    if (settled.has(file.name) || (await holds(target, file))) continue
    if (file.kind === 'snapshot' && (await bytesOf(join(target, file.name))))
      throw new ArchiveError('conflict', `${day}/${file.name}: is there with other bytes`)
    if (!(await holds(stagingOf(archive, day), file)))
      throw new ArchiveError('incomplete_staging', `${day}/${file.name}: is not staged`)
    await makeRoom(archive, day, file.name)
    missing.push(file)
  }
  return missing
}

function nullIfInvalid(error: unknown): null {
  if (error instanceof ArchiveError && error.code === 'invalid_manifest') return null
  throw error
}

function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : 1
}

/** Before a manifest is published, its hash is kept: as the name of an empty file. */
async function putOnRecord(archive: WritableArchive, name: string): Promise<void> {
  const folder = join(archive.dir, SEALS_FOLDER)
  await archive.disk.makeFolder(folder)
  await archive.disk.syncFolder(archive.dir)
  await writeDurably(archive.disk, folder, TEMPORARY, [], () => name)
}

function sealedOtherwise(day: string): ArchiveError {
  return new ArchiveError('conflict', `${day}/${manifestName(day)}: the day is sealed with another`)
}
