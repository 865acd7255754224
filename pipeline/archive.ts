// Opens the archive that a run works on: a local folder or an object store.
import { join, resolve } from 'node:path'
import { stagedDays } from '../archive/files.ts'
import { isDay, manifestKey, STAGING_FOLDER, snapshotKey } from '../archive/format/paths.ts'
import { folderPlace } from '../archive/place/folder.ts'
import type { StoreLocation } from '../archive/place/location.ts'
import { StoreMemory } from '../archive/place/memory.ts'
import type { WritablePlace } from '../archive/place/place.ts'
import { storePlace } from '../archive/place/store.ts'
import { type ArchiveReader, readerOf } from '../archive/reader.ts'
import { storeWriter } from '../archive/writing/store-writer.ts'
import { type ArchiveWriter, openWriter } from '../archive/writing/writer.ts'
import type { Database } from '../server/database/database.ts'
import type { PipelineConfig } from './config.ts'
import { ARCHIVE_MISSING, ensureArchiveFolder } from './folder.ts'

/** An archive open for reading and writing. */
export interface RunArchive {
  place: WritablePlace
  reader: ArchiveReader
  writer: ArchiveWriter
  /** The unsealed days that an interrupted run has begun; in a folder, before recovery, committed days as well. */
  begunDays(): Promise<string[]>
  /** A local folder in which films are assembled. */
  workDir: string
  /** Facts that this machine's runs have noted about a store's files; null for a folder. */
  memory: StoreMemory | null
}

export interface OpenOptions {
  /** Returns a number from 0 to 1, for the pauses between the tries of a request. */
  random(): number
  /** Called with one line for a problem that does not stop the run. */
  warn(line: string): void
  /** Aborts the requests to a store. */
  signal: AbortSignal
}

/** The settings that locate an archive and its local folders. */
export type ArchiveConfig = Pick<PipelineConfig, 'archive' | 'dataDir' | 'cacheDir'>

/**
 * Opens the archive for a run.
 * @throws Error with one line when the archive is not writable, is missing, or (in a store) is a mirror
 */
export async function openArchive(
  database: Database,
  config: ArchiveConfig,
  options: OpenOptions,
): Promise<RunArchive> {
  const { archive } = config
  return 'dir' in archive
    ? openFolder(database, archive.dir)
    : openObjectStore(archive, config.cacheDir, options)
}

async function openFolder(database: Database, dir: string): Promise<RunArchive> {
  if (!(await ensureArchiveFolder(database, dir))) throw new Error(`${dir}: ${ARCHIVE_MISSING}`)
  // Open the writer before taking the lock: its error for an unwritable folder is clearer.
  const writer = await openWriter(dir, { create: false })
  return inFolder(dir, writer)
}

/** An archive in a folder, given its writer. */
export function inFolder(dir: string, writer: ArchiveWriter): RunArchive {
  const place = folderPlace(resolve(dir))
  return {
    place,
    reader: readerOf(place),
    writer,
    begunDays: () => stagedDays(dir),
    workDir: join(dir, STAGING_FOLDER),
    memory: null,
  }
}

async function openObjectStore(
  location: StoreLocation,
  workDir: string,
  { random, warn, signal }: OpenOptions,
): Promise<RunArchive> {
  const place = await storePlace(location, { random, signal })
  await place.probe()
  const listed = await place.listAll()
  const days = daysIn(listed)
  const sealed = days.filter((day) => listed.has(manifestKey(day)))
  const fixed = days.filter((day) => listed.has(snapshotKey(day)))
  const reader = readerOf(place, { sealed })
  const mirror = await reader.mirror()
  if (mirror) throw new Error(`${place.name}: is a copy of a mirror; days cannot be added`)
  return {
    place,
    reader,
    writer: storeWriter(place),
    begunDays: async () => fixed.filter((day) => !sealed.includes(day)),
    workDir,
    memory: await StoreMemory.open({
      folder: workDir,
      purpose: 'published',
      store: location,
      warn,
    }),
  }
}

function daysIn(listed: ReadonlyMap<string, unknown>): string[] {
  const folders = new Set([...listed.keys()].map((key) => key.split('/')[0] ?? ''))
  return [...folders].filter(isDay)
}
