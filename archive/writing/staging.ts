// Where a day is put together before it is published, and what of it is in its place already.
import { lstat, readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ArchiveError, isNoFile, naming } from '../errors.ts'
import { type Manifest, type NamedFile, parseManifest } from '../format/manifest.ts'
import { manifestName, STAGING_FOLDER, snapshotName, TEMPORARY } from '../format/paths.ts'
import { parseSnapshot, type Snapshot } from '../format/snapshot.ts'
import { type Chunks, type Digest, type Disk, digestOf, writeDurably } from './durable.ts'

/** An archive being written: its absolute folder, and the disk that it is on. */
export interface WritableArchive {
  dir: string
  disk: Disk
}

/** The staging of a day; of its manifest, the copy there is the commit. */
export function stagingOf(archive: WritableArchive, day: string): string {
  return join(archive.dir, STAGING_FOLDER, day)
}

/** Writes a file of a day into its staging, durably. */
export async function stage(
  archive: WritableArchive,
  day: string,
  chunks: Chunks,
  nameOf: (digest: Digest) => string,
): Promise<Digest> {
  const folder = stagingOf(archive, day)
  await archive.disk.makeFolder(folder)
  await archive.disk.syncFolder(dirname(folder))
  await archive.disk.syncFolder(archive.dir)
  return writeDurably(archive.disk, folder, TEMPORARY, chunks, nameOf)
}

export async function removeStaging(archive: WritableArchive, day: string): Promise<void> {
  await archive.disk.remove(stagingOf(archive, day))
}

/**
 * The manifest of a sealed day; null when the day is not sealed.
 * @throws ArchiveError `invalid_manifest`
 */
export async function publishedManifest(
  archive: WritableArchive,
  day: string,
): Promise<Manifest | null> {
  return readManifest(archive, day, day)
}

/**
 * The manifest that a day is committed with; null when it is not committed.
 * @throws ArchiveError `invalid_manifest`
 */
export async function committedManifest(
  archive: WritableArchive,
  day: string,
): Promise<Manifest | null> {
  return readManifest(archive, `${STAGING_FOLDER}/${day}`, day)
}

async function readManifest(
  archive: WritableArchive,
  folder: string,
  day: string,
): Promise<Manifest | null> {
  const name = `${folder}/${manifestName(day)}`
  const bytes = await fileIn(archive, name)
  const manifest = bytes && naming(name, () => parseManifest(bytes))
  if (manifest && manifest.day !== day)
    throw new ArchiveError('invalid_manifest', `${name}: is of ${manifest.day}`)
  return manifest
}

/**
 * What a day that is not sealed says already; null when that is open. A staged snapshot that cannot
 * be read is given up with its staging: nobody has seen it.
 * @throws ArchiveError `invalid_snapshot` when the one in the day's folder is damaged
 */
export async function fixedSnapshot(
  archive: WritableArchive,
  day: string,
): Promise<Snapshot | null> {
  if (await publishedManifest(archive, day)) return null
  const inPlace = await readSnapshot(archive, day, day)
  if (inPlace) return inPlace
  try {
    return await readSnapshot(archive, `${STAGING_FOLDER}/${day}`, day)
  } catch (error) {
    if (!(error instanceof ArchiveError) || error.code !== 'invalid_snapshot') throw error
    await removeStaging(archive, day)
    return null
  }
}

/** Whether the folder of a day that is not sealed holds its `<day>.json`. */
export async function hasSnapshotInPlace(archive: WritableArchive, day: string): Promise<boolean> {
  if (await publishedManifest(archive, day)) return false
  return (await readSnapshot(archive, day, day)) !== null
}

/** `<day>.json` in a folder of the archive; null when there is none. @throws ArchiveError `invalid_snapshot` */
export async function readSnapshot(
  archive: WritableArchive,
  folder: string,
  day: string,
): Promise<Snapshot | null> {
  const name = `${folder}/${snapshotName(day)}`
  const bytes = await fileIn(archive, name)
  const snapshot = bytes && naming(name, () => parseSnapshot(bytes))
  if (snapshot && snapshot.day !== day)
    throw new ArchiveError('invalid_snapshot', `${name}: is of ${snapshot.day}`)
  return snapshot
}

/**
 * Sees that a file can be renamed to this place: an empty folder of its name gives way.
 * @throws ArchiveError `conflict` when the folder holds something
 */
export async function makeRoom(archive: WritableArchive, day: string, name: string): Promise<void> {
  const path = join(archive.dir, day, name)
  const stats = await lstat(path).catch(nullIfNoFile)
  if (!stats?.isDirectory()) return
  if ((await readdir(path)).length > 0)
    throw new ArchiveError('conflict', `${day}/${name}: is a folder with other files in it`)
  await archive.disk.remove(path)
}

/** Whether a folder holds a file with exactly the bytes that a manifest names. */
export async function holds(folder: string, file: NamedFile): Promise<boolean> {
  const digest = await digestOf(join(folder, file.name)).catch(nullIfNoFile)
  return digest?.sha256 === file.sha256 && digest.bytes === file.bytes
}

/** A file's bytes; null when there is no such file. */
export function bytesOf(path: string): Promise<Uint8Array | null> {
  return readFile(path).catch(nullIfNoFile)
}

/** The same for a file named from the archive's folder on. */
export function fileIn(archive: WritableArchive, name: string): Promise<Uint8Array | null> {
  return bytesOf(join(archive.dir, name))
}

/** The names in a folder of the archive; none when there is no such folder. */
export async function namesIn(archive: WritableArchive, folder: string): Promise<string[]> {
  return (await readdir(join(archive.dir, folder)).catch(nullIfNoFile)) ?? []
}

export function nullIfNoFile(error: unknown): null {
  if (isNoFile(error)) return null
  throw error
}
