// Opens the archive that a run works on, a local folder or an object store, and reads copies of it for a repair (WRITING.md 2.5).
import { resolve } from 'node:path'
import type { Disk } from '../../archive/base/durable.ts'
import { nullIf } from '../../archive/base/errors.ts'
import { boundOf } from '../../archive/format/bounds.ts'
import { manifestName, splitKey } from '../../archive/format/paths.ts'
import { type BucketOptions, type BucketPlace, bucketPlace } from '../../archive/place/bucket.ts'
import { folderPlace, requireWritable } from '../../archive/place/folder.ts'
import { errorOf, isOutage, type Place, type WritablePlace } from '../../archive/place/place.ts'
import { ArchiveReader } from '../../archive/reading/reader.ts'
import { ArchiveWriter } from '../../archive/writing/writer.ts'
import { ARCHIVE_MISSING, ensureArchiveFolder } from '../../server/data/archive-folder.ts'
import type { Database } from '../../server/database/database.ts'
import type { PipelineConfig } from '../config.ts'

/** An archive open for reading and writing. */
export interface RunArchive {
  place: WritablePlace
  reader: ArchiveReader
  writer: ArchiveWriter
  /** A local folder in which films are assembled. */
  workDir: string
}

/**
 * Opens the archive for a run.
 * @param options how a bucket is asked
 * @throws Error with one line when the archive is not writable, is missing, or (in a bucket) is a mirror
 */
export async function openArchive(
  database: Database,
  { archive, cacheDir }: PipelineConfig,
  { random, signal }: BucketOptions,
): Promise<RunArchive> {
  if ('bucket' in archive) return inBucket(await bucketPlace(archive, { random, signal }), cacheDir)
  const { dir } = archive
  if (!(await ensureArchiveFolder(database, dir))) throw new Error(`${dir}: ${ARCHIVE_MISSING}`)
  // Check this before taking the lock: this error for an unwritable folder is clearer.
  await requireWritable(dir)
  return inFolder(dir, cacheDir)
}

export function inFolder(dir: string, workDir: string, disk?: Disk): RunArchive {
  const place = folderPlace(resolve(dir), disk)
  const writer = new ArchiveWriter(place, { isShared: false })
  return { place, reader: new ArchiveReader(place), writer, workDir }
}

async function inBucket(place: BucketPlace, workDir: string): Promise<RunArchive> {
  await place.probe()
  const files = [...(await place.listAll()).keys()].map(splitKey)
  const sealed = files.flatMap(([day, name]) => (name === manifestName(day) ? [day] : []))
  const reader = new ArchiveReader(place, { sealed })
  const mirror = await reader.mirror()
  if (mirror) throw new Error(`${place.name}: is a copy of a mirror; days cannot be added`)
  return { place, reader, writer: new ArchiveWriter(place, { isShared: true }), workDir }
}

/**
 * Rejects a mirror, which must get its days only from its source.
 * @throws Error with one line when the folder is a mirror
 */
export async function refuseMirror(archiveDir: string): Promise<void> {
  // A missing folder is reported by what needs it.
  const mirror = await new ArchiveReader(folderPlace(archiveDir))
    .mirror()
    .catch(nullIf('archive_unavailable'))
  if (mirror)
    throw new Error(
      `${archiveDir}: is a mirror of ${mirror.source}; only npm run mirror may add days to it`,
    )
}

/**
 * Reads a file of a copy; null when the copy has none of at most `limit` bytes.
 * @throws ArchiveError `archive_unavailable` when it cannot be read, for example because the server responds with 500
 */
export async function readCopy(
  copy: Place,
  key: string,
  limit = boundOf(key),
): Promise<Uint8Array | null> {
  const file = await copy.read(key, limit)
  if ('content' in file) return file.content
  if (isOutage(file) || file.problem.code === 'unreadable')
    throw errorOf(copy, key, file, 'archive_unavailable')
  return null
}
