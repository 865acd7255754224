// Reads an archive: its days, and of a day only the files that its manifest names. Never writes.
import { type BigIntStats, createReadStream } from 'node:fs'
import { lstat, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { ArchiveError, asReadError, naming, systemCode } from './errors.ts'
import { sha256Of } from './format/hash.ts'
import { type Manifest, parseManifest } from './format/manifest.ts'
import {
  isDay,
  type MediaKind,
  manifestName,
  parseMediaName,
  snapshotName,
} from './format/paths.ts'
import { parseSnapshot, type Snapshot } from './format/snapshot.ts'

/** A medium that a sealed manifest names, and that is there with the size that it gives. */
export interface OpenMedium {
  kind: MediaKind
  sha256: string
  bytes: number
  path: string
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
  const folder = new FolderReader(dir)
  const orUnavailable = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error) => {
      throw asReadError(error, dir)
    })
  return {
    days: () => orUnavailable(folder.days()),
    snapshot: (day) => orUnavailable(folder.snapshot(day)),
    manifest: (day) => orUnavailable(folder.manifest(day)),
    openMedia: (day, filename) => orUnavailable(folder.openMedia(day, filename)),
  }
}

class FolderReader implements ArchiveReader {
  readonly #dir: string
  readonly #sealed = new Set<string>()
  readonly #manifests = new Map<string, ReadManifest>()

  constructor(dir: string) {
    this.#dir = dir
  }

  async days(): Promise<string[]> {
    const entries = await readdir(this.#dir, { withFileTypes: true })
    const folders = entries.filter((entry) => entry.isDirectory() && isDay(entry.name))
    const names = folders.map((entry) => entry.name).sort()
    // A sealed day stays sealed, so its manifest is looked for once.
    for (const day of names)
      if (!this.#sealed.has(day) && (await statsOfFile(this.#dir, day, manifestName(day))))
        this.#sealed.add(day)
    return names.filter((day) => this.#sealed.has(day))
  }

  async manifest(day: string): Promise<ReadManifest | null> {
    if (!(await stat(this.#dir)).isDirectory())
      throw new ArchiveError('archive_unavailable', `${this.#dir}: is not a folder`)
    const stats = isDay(day) ? await statsOfFile(this.#dir, day, manifestName(day)) : null
    if (!stats) {
      this.#sealed.delete(day)
      return null
    }
    const version = `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`
    const known = this.#manifests.get(day)
    const current = known?.version === version ? known : await readManifest(this.#dir, day, version)
    this.#remember(day, current)
    return current
  }

  async snapshot(day: string): Promise<{ snapshot: Snapshot; bytes: Uint8Array } | null> {
    const sealed = await this.manifest(day)
    if (!sealed) return null
    const name = snapshotName(day)
    const bytes = await readWhole(this.#dir, day, name)
    if (!bytes) throw new ArchiveError('invalid_snapshot', `${name}: is missing`)
    if (sha256Of(bytes) !== sealed.manifest.snapshot_file.sha256)
      throw new ArchiveError('invalid_snapshot', `${name}: is not the file that the manifest names`)
    return { snapshot: naming(name, () => parseSnapshot(bytes)), bytes }
  }

  async openMedia(day: string, filename: string): Promise<OpenMedium | null> {
    const name = parseMediaName(filename)
    if (!name) return null
    const medium = (await this.manifest(day))?.manifest.media[name.kind]
    if (!medium?.available || medium.filename !== filename) return null
    const stats = await statsOfFile(this.#dir, day, filename)
    if (!stats) throw new ArchiveError('invalid_medium', `${filename}: is missing`)
    if (stats.size !== BigInt(medium.bytes))
      throw new ArchiveError(
        'invalid_medium',
        `${filename}: has another size than its manifest says`,
      )
    const path = join(this.#dir, day, filename)
    return { ...name, bytes: medium.bytes, path, stream: streamOf(path) }
  }

  /** Keeps the manifests that were asked for last. */
  #remember(day: string, manifest: ReadManifest): void {
    this.#manifests.delete(day)
    this.#manifests.set(day, manifest)
    if (this.#manifests.size > CACHED_MANIFESTS)
      this.#manifests.delete(this.#manifests.keys().next().value as string)
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
  const manifest = naming(manifestName(day), () => parseManifest(bytes))
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
