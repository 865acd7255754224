// Reads an archive: its days, and of a day only the files that its manifest names. Never writes.
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { ArchiveError, asReadError } from './errors.ts'
import {
  bytesOf,
  type LoadedManifest,
  type LoadedSnapshot,
  loadManifest,
  loadMirror,
  loadSnapshot,
  statsOf,
} from './files.ts'
import { sha256Of } from './format/hash.ts'
import type { MirrorSettings } from './format/mirror.ts'
import {
  type CHECKPOINT_FILE,
  isDay,
  type KEY_FILE,
  type LOG_FILE,
  type MediaKind,
  manifestName,
  parseMediaName,
  snapshotName,
} from './format/paths.ts'

/** A medium that a sealed manifest names, and that exists with the size that it states. */
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
 * `invalid_snapshot` or `invalid_medium`, and not in those of other days: `days` lists it all the same.
 */
export interface ArchiveReader {
  /** The sealed days, ascending. What is not named like a day is skipped. */
  days(): Promise<string[]>
  /** `<day>.json`; null when the day is not sealed. */
  snapshot(day: string): Promise<LoadedSnapshot | null>
  /** `<day>.manifest.json`; null when the day is not sealed. */
  manifest(day: string): Promise<LoadedManifest | null>
  /** What a mirror has, for a folder that is one. Rejects with `invalid_mirror` when that is damaged. */
  mirror(): Promise<MirrorSettings | null>
  /** Null when the day is not sealed, its manifest does not name the file, or a mirror leaves it out. */
  openMedia(day: string, filename: string): Promise<OpenMedium | null>
  /** What tells whether a day's manifest was replaced since; null when the day is not sealed. */
  version(day: string): Promise<string | null>
  /** A file of the log of days; null when there is none. */
  logFile(name: LogFileName): Promise<Uint8Array | null>
}

export type LogFileName = typeof LOG_FILE | typeof CHECKPOINT_FILE | typeof KEY_FILE

/** A manifest, and what its file looked like when it was read: a repair may replace it. */
interface CachedManifest {
  loaded: LoadedManifest
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
    mirror: () => orUnavailable(folder.mirror()),
    openMedia: (day, filename) => orUnavailable(folder.openMedia(day, filename)),
    version: (day) => orUnavailable(folder.version(day)),
    logFile: (name) => orUnavailable(folder.logFile(name)),
  }
}

class FolderReader implements ArchiveReader {
  readonly #dir: string
  readonly #sealed = new Set<string>()
  readonly #manifests = new Map<string, CachedManifest>()

  constructor(dir: string) {
    this.#dir = dir
  }

  async days(): Promise<string[]> {
    const entries = await readdir(this.#dir, { withFileTypes: true })
    const folders = entries.filter((entry) => entry.isDirectory() && isDay(entry.name))
    const names = folders.map((entry) => entry.name).sort()
    // A sealed day stays sealed, so its manifest is looked for once.
    for (const day of names)
      if (!this.#sealed.has(day) && (await statsOf(this.#dir, day, manifestName(day))))
        this.#sealed.add(day)
    return names.filter((day) => this.#sealed.has(day))
  }

  async manifest(day: string): Promise<LoadedManifest | null> {
    if (!(await stat(this.#dir)).isDirectory())
      throw new ArchiveError('archive_unavailable', `${this.#dir}: is not a folder`)
    const version = await this.version(day)
    if (version === null) {
      this.#sealed.delete(day)
      return null
    }
    const cached = this.#manifests.get(day)
    const isCurrent = cached?.version === version
    const loaded = isCurrent ? cached.loaded : await loadManifest(this.#dir, day, day)
    if (loaded) this.#remember(day, { loaded, version })
    return loaded
  }

  async version(day: string): Promise<string | null> {
    const stats = isDay(day) ? await statsOf(this.#dir, day, manifestName(day)) : null
    return stats && `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`
  }

  async logFile(name: LogFileName): Promise<Uint8Array | null> {
    if (!(await stat(this.#dir)).isDirectory())
      throw new ArchiveError('archive_unavailable', `${this.#dir}: is not a folder`)
    return bytesOf(this.#dir, '.', name)
  }

  async snapshot(day: string): Promise<LoadedSnapshot | null> {
    const sealed = await this.manifest(day)
    if (!sealed) return null
    const loaded = await loadSnapshot(this.#dir, day, day)
    const name = `${day}/${snapshotName(day)}`
    if (!loaded) throw new ArchiveError('invalid_snapshot', `${name}: is missing`)
    if (sha256Of(loaded.bytes) !== sealed.manifest.snapshot_file.sha256)
      throw new ArchiveError('invalid_snapshot', `${name}: is not the file that the manifest names`)
    return loaded
  }

  async openMedia(day: string, filename: string): Promise<OpenMedium | null> {
    const name = parseMediaName(filename)
    if (!name) return null
    const medium = (await this.manifest(day))?.manifest.media[name.kind]
    if (!medium?.available || medium.filename !== filename) return null
    const stats = await statsOf(this.#dir, day, filename)
    if (!stats && (await this.#leavesOut(name.kind))) return null
    if (!stats) throw new ArchiveError('invalid_medium', `${day}/${filename}: is missing`)
    if (stats.size !== BigInt(medium.bytes))
      throw new ArchiveError(
        'invalid_medium',
        `${day}/${filename}: has ${stats.size} bytes; its manifest states ${medium.bytes}`,
      )
    const path = join(this.#dir, day, filename)
    return { ...name, bytes: medium.bytes, path, stream: streamOf(path) }
  }

  mirror(): Promise<MirrorSettings | null> {
    return loadMirror(this.#dir)
  }

  async #leavesOut(kind: MediaKind): Promise<boolean> {
    const mirror = await this.mirror()
    return mirror !== null && !mirror.media.includes(kind)
  }

  /** Keeps the manifests that were asked for last. */
  #remember(day: string, manifest: CachedManifest): void {
    this.#manifests.delete(day)
    this.#manifests.set(day, manifest)
    if (this.#manifests.size > CACHED_MANIFESTS)
      this.#manifests.delete(this.#manifests.keys().next().value as string)
  }
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
