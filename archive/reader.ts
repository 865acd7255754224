// Reads an archive: its days, and of a day only the files that its manifest names. Never writes.
import { type BigIntStats, createReadStream } from 'node:fs'
import { lstat, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { sha256Of } from './durable.ts'
import { ArchiveError, asReadError, systemCode } from './errors.ts'
import { type Manifest, parseManifest, parseSnapshot, type Snapshot } from './manifest.ts'
import { isDay, type MediaKind, manifestName, parseMediaName, snapshotName } from './paths.ts'

/** A medium that a sealed manifest names, and that is there with the size that it gives. */
export interface OpenMedium {
  kind: MediaKind
  sha256: string
  bytes: number
  /**
   * The bytes from `start` to `end`, both included, as in an HTTP range; all by default. Opens the
   * file only now, and closes it when the stream ends or is cancelled.
   */
  stream(start?: number, end?: number): ReadableStream<Uint8Array>
}

/**
 * Every method rejects with ArchiveError `archive_unavailable` when the folder is missing or cannot
 * be read at that moment. A damaged day rejects in its own methods, with `invalid_manifest`,
 * `invalid_snapshot` or `invalid_medium`, and leaves the others alone: `days` lists it all the same.
 */
export interface ArchiveReader {
  /** The sealed days, ascending. What is not named like a day is passed over. */
  days(): Promise<string[]>
  /** `<day>.json`; null when the day is not sealed. */
  snapshot(day: string): Promise<{ snapshot: Snapshot; bytes: Uint8Array } | null>
  /** `<day>.manifest.json`; null when the day is not sealed. */
  manifest(day: string): Promise<{ manifest: Manifest; bytes: Uint8Array } | null>
  /** Null when the day is not sealed, or its manifest does not name the file. */
  openMedia(day: string, filename: string): Promise<OpenMedium | null>
}

/** A manifest, with what told its file apart when it was read: a repair may replace it. */
interface ReadManifest {
  manifest: Manifest
  bytes: Uint8Array
  version: string
}

/** Several pages of the list; at about 10 kB each, a few megabytes. */
const CACHED_MANIFESTS = 512

/** Reads the archive in a folder. Each call finds what is there at that moment. */
export function openReader(dir: string): ArchiveReader {
  const sealed = new Set<string>()
  const cache = new Map<string, ReadManifest>()

  async function days(): Promise<string[]> {
    const entries = await readdir(dir, { withFileTypes: true })
    const folders = entries.filter((entry) => entry.isDirectory() && isDay(entry.name))
    const names = folders.map((entry) => entry.name).sort()
    // A sealed day stays sealed, so its manifest is looked for once.
    for (const day of names)
      if (!sealed.has(day) && (await statsOfFile(dir, day, manifestName(day)))) sealed.add(day)
    return names.filter((day) => sealed.has(day))
  }

  async function manifest(day: string): Promise<ReadManifest | null> {
    if (!(await stat(dir)).isDirectory())
      throw new ArchiveError('archive_unavailable', `${dir}: is not a folder`)
    if (!isDay(day)) return null
    const stats = await statsOfFile(dir, day, manifestName(day))
    if (!stats) {
      sealed.delete(day)
      return null
    }
    const version = `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`
    const known = cache.get(day)
    const current = known?.version === version ? known : await readManifest(dir, day, version)
    cache.delete(day)
    cache.set(day, current)
    if (cache.size > CACHED_MANIFESTS) cache.delete(cache.keys().next().value as string)
    return current
  }

  async function snapshot(day: string) {
    const sealedDay = await manifest(day)
    if (!sealedDay) return null
    const bytes = await readWhole(dir, day, snapshotName(day))
    if (bytes === null || sha256Of(bytes) !== sealedDay.manifest.snapshot_file.sha256)
      throw new ArchiveError(
        'invalid_snapshot',
        `${snapshotName(day)}: ${bytes ? 'is not the file that the manifest names' : 'is missing'}`,
      )
    return { snapshot: parseSnapshot(bytes), bytes }
  }

  async function openMedia(day: string, filename: string): Promise<OpenMedium | null> {
    const name = parseMediaName(filename)
    if (!name) return null
    const medium = (await manifest(day))?.manifest.media[name.kind]
    if (!medium?.available || medium.filename !== filename) return null
    const stats = await statsOfFile(dir, day, filename)
    if (stats?.size !== BigInt(medium.bytes))
      throw new ArchiveError(
        'invalid_medium',
        `${filename}: ${stats ? 'is not of the size that the manifest names' : 'is missing'}`,
      )
    return { ...name, bytes: medium.bytes, stream: streamOf(join(dir, day, filename)) }
  }

  const orUnavailable = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error) => {
      throw asReadError(error, dir)
    })
  return {
    days: () => orUnavailable(days()),
    snapshot: (day) => orUnavailable(snapshot(day)),
    manifest: (day) => orUnavailable(manifest(day)),
    openMedia: (day, filename) => orUnavailable(openMedia(day, filename)),
  }
}

/** A regular file of a day's folder, both without following links; null when there is none. */
async function statsOfFile(dir: string, day: string, name: string): Promise<BigIntStats | null> {
  try {
    if (!(await lstat(join(dir, day))).isDirectory()) return null
    const stats = await lstat(join(dir, day, name), { bigint: true })
    return stats.isFile() ? stats : null
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    throw error
  }
}

async function readManifest(dir: string, day: string, version: string): Promise<ReadManifest> {
  const bytes = await readWhole(dir, day, manifestName(day))
  if (!bytes) throw new ArchiveError('invalid_manifest', `${manifestName(day)}: is missing`)
  const manifest = parseManifest(bytes)
  if (manifest.day !== day)
    throw new ArchiveError('invalid_manifest', `${manifestName(day)}: is of ${manifest.day}`)
  return { manifest, bytes, version }
}

/** A file's bytes; null when there is no such regular file. */
async function readWhole(dir: string, day: string, name: string): Promise<Uint8Array | null> {
  return (await statsOfFile(dir, day, name)) ? readFile(join(dir, day, name)) : null
}

function streamOf(path: string): OpenMedium['stream'] {
  return (start, end) => {
    const range = {
      ...(start === undefined ? {} : { start }),
      ...(end === undefined ? {} : { end }),
    }
    return Readable.toWeb(createReadStream(path, range)) as ReadableStream<Uint8Array>
  }
}
