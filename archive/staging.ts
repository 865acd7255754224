// Where a day is put together before it is published, and what of it is in its place already.
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Chunks, type Digest, type Disk, digestOf, writeDurably } from './durable.ts'
import { systemCode } from './errors.ts'
import { type Manifest, type NamedFile, parseManifest } from './manifest.ts'
import { manifestName, STAGING_FOLDER } from './paths.ts'

/** An archive being written: its absolute folder, and the disk that it is on. */
export interface WritableArchive {
  dir: string
  disk: Disk
}

/** A file is written under this name first; the days never hold it. */
export const TEMPORARY = '.writing'

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

/** The manifest of a sealed day; null when the day is not sealed. */
export async function publishedManifest(
  archive: WritableArchive,
  day: string,
): Promise<Manifest | null> {
  const bytes = await bytesOf(join(archive.dir, day, manifestName(day)))
  return bytes && parseManifest(bytes)
}

/** Whether a folder holds a file with exactly the bytes that a manifest names. */
export async function holds(folder: string, file: NamedFile): Promise<boolean> {
  const digest = await digestOf(join(folder, file.name)).catch(nullIfMissing)
  return digest?.sha256 === file.sha256 && digest.bytes === file.bytes
}

/** A file's bytes; null when it does not exist. */
export function bytesOf(path: string): Promise<Uint8Array | null> {
  return readFile(path).catch(nullIfMissing)
}

export function nullIfMissing(error: unknown): null {
  if (systemCode(error) === 'ENOENT') return null
  throw error
}
