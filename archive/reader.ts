// Reads an archive: its days, and of a day only the files that its manifest names. Never writes.
import { ArchiveError, unreadableAs } from './errors.ts'
import { type LoadedManifest, type LoadedSnapshot, snapshotOf, tryToOpen } from './files.ts'
import { sha256Of } from './format/hash.ts'
import { type MirrorSettings, parseMirror } from './format/mirror.ts'
import {
  type CHECKPOINT_FILE,
  isDay,
  type KEY_FILE,
  type LOG_FILE,
  type MediaKind,
  MIRROR_FILE,
  parseMediaName,
  snapshotKey,
} from './format/paths.ts'
import { Manifests } from './manifests.ts'
import { folderPlace } from './place/folder.ts'
import type { ArchiveLocation } from './place/location.ts'
import type { Place } from './place/place.ts'
import { rememberingPlace } from './place/remembering.ts'
import { storePlace } from './place/store.ts'

/** A medium that a sealed manifest names, and that exists with the size that it states. */
export interface OpenMedium {
  kind: MediaKind
  sha256: string
  /** As in FORMAT.md 2.1, for people. */
  name: string
  bytes: number
  /** Where it is on this machine; null when it is elsewhere. */
  path: string | null
  /** An address from which anybody can read it for some minutes; null where there is none. */
  address(): Promise<string> | null
  /**
   * The bytes from `start` to `end`, both included, as in an HTTP range; all by default. Rejects with
   * `archive_unavailable` or `invalid_medium` when the file cannot be had now.
   */
  open(start?: number, end?: number): Promise<ReadableStream<Uint8Array>>
}

/**
 * Every method rejects with ArchiveError `archive_unavailable` when the folder is missing or cannot
 * be read at that moment. A damaged day rejects in its own methods, with `invalid_manifest`,
 * `invalid_snapshot` or `invalid_medium`, and not in those of other days: `days` lists it all the same.
 */
export interface ArchiveReader {
  /** The sealed days, ascending. What is not named like a day is skipped. */
  days(): Promise<readonly string[]>
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

export interface ReaderOptions {
  /**
   * Whether a manifest is read once, when all its media are available: nothing but damage can change it then, and
   * asking costs a request.
   */
  keepsFinal?: boolean
  /** Days that are known to be sealed. */
  sealed?: Iterable<string>
}

/** Reads the archive in a folder. Each call finds what is there at that moment. */
export function openReader(dir: string): ArchiveReader {
  return readerOf(folderPlace(dir))
}

/** Reads the archive at a place. Each call finds what the place has at that moment. */
export function readerOf(place: Place, options: ReaderOptions = {}): ArchiveReader {
  return new PlaceReader(place, options)
}

/** A server's reader gives up soon: a client waits for its answer. */
const IMPATIENT = { tries: 2, timeoutMs: 4_000 }

/**
 * Opens an archive for a process that reads it again and again: what a store has is remembered for some seconds.
 * @param random from 0 to 1, for the pauses between two tries of a request
 */
export async function openReaderAt(
  location: ArchiveLocation,
  random: () => number,
): Promise<ArchiveReader> {
  if ('dir' in location) return openReader(location.dir)
  const place = await storePlace(location, { ...IMPATIENT, random })
  return readerOf(rememberingPlace(place), { keepsFinal: true })
}

class PlaceReader implements ArchiveReader {
  readonly #place: Place
  readonly #sealed: Set<string>
  /** The folders that were found last, and which of them are named like days, ascending. */
  #listed: { folders: readonly string[]; days: readonly string[]; areSealed: boolean } | null = null
  readonly #manifests: Manifests

  constructor(place: Place, { keepsFinal = false, sealed = [] }: ReaderOptions) {
    this.#place = place
    this.#manifests = new Manifests(place, keepsFinal)
    this.#sealed = new Set(sealed)
  }

  async days(): Promise<readonly string[]> {
    const folders = await this.#place.folders()
    if (folders !== this.#listed?.folders)
      this.#listed = {
        folders,
        days: folders.filter((name) => isDay(name)).sort(),
        areSealed: false,
      }
    const listed = this.#listed
    if (listed.areSealed) return listed.days
    // A sealed day stays sealed, so its manifest is looked for once.
    for (const day of listed.days)
      if (!this.#sealed.has(day) && (await this.#manifests.isSealed(day))) this.#sealed.add(day)
    const sealed = listed.days.filter((day) => this.#sealed.has(day))
    listed.areSealed = sealed.length === listed.days.length
    return sealed
  }

  async manifest(day: string): Promise<LoadedManifest | null> {
    const loaded = await this.#manifests.get(day)
    if (loaded) return loaded
    this.#sealed.delete(day)
    this.#listed = null
    return null
  }

  version(day: string): Promise<string | null> {
    return this.#manifests.version(day)
  }

  async logFile(name: LogFileName): Promise<Uint8Array | null> {
    return (await this.#place.get(name))?.content ?? null
  }

  async snapshot(day: string): Promise<LoadedSnapshot | null> {
    const sealed = await this.manifest(day)
    if (!sealed) return null
    const key = snapshotKey(day)
    const file = await this.#place.get(key).catch(unreadableAs('invalid_snapshot', key))
    if (!file) throw new ArchiveError('invalid_snapshot', `${key}: is missing`)
    const loaded = snapshotOf(file.content, key, day)
    if (sha256Of(loaded.bytes) !== sealed.manifest.snapshot_file.sha256)
      throw new ArchiveError('invalid_snapshot', `${key}: is not the file that the manifest names`)
    return loaded
  }

  async openMedia(day: string, filename: string): Promise<OpenMedium | null> {
    const name = parseMediaName(filename)
    if (!name) return null
    const medium = (await this.manifest(day))?.manifest.media[name.kind]
    if (!medium?.available || medium.filename !== filename) return null
    const key = `${day}/${filename}`
    const state = await this.#place.stat(key)
    if (!state && (await this.#leavesOut(name.kind))) return null
    if (!state) throw missing(key)
    if (state.bytes !== medium.bytes)
      throw new ArchiveError(
        'invalid_medium',
        `${key}: has ${state.bytes} bytes; its manifest states ${medium.bytes}`,
      )
    await this.#tryToOpen(key).catch(unreadableAs('invalid_medium', key))
    return this.#mediumAt(key, name, medium.bytes)
  }

  /** Opens a local file once, and closes it: when it is opened to be sent, it is too late for an error. */
  async #tryToOpen(key: string): Promise<void> {
    const path = this.#place.pathOf(key)
    if (path !== null) await tryToOpen(path)
  }

  async mirror(): Promise<MirrorSettings | null> {
    const file = await this.#place.get(MIRROR_FILE)
    return file && parseMirror(file.content)
  }

  #mediumAt(key: string, name: { kind: MediaKind; sha256: string }, bytes: number): OpenMedium {
    const place = this.#place
    return {
      ...name,
      name: key,
      bytes,
      path: place.pathOf(key),
      address: () => place.addressOf(key),
      async open(start = 0, end = bytes - 1) {
        const stream = await place.open(key, start, end)
        if (!stream) throw missing(key)
        return stream
      },
    }
  }

  async #leavesOut(kind: MediaKind): Promise<boolean> {
    const mirror = await this.mirror()
    return mirror !== null && !mirror.media.includes(kind)
  }
}

function missing(key: string): ArchiveError {
  return new ArchiveError('invalid_medium', `${key}: is missing`)
}
