// Reads an archive: its days, and only those files of a day that its manifest names. Never writes.
import { ArchiveError, type ArchiveErrorCode, naming } from '../base/errors.ts'
import { isDay } from '../format/calendar.ts'
import { sha256Of } from '../format/hash.ts'
import type { MediaKind } from '../format/media.ts'
import { type MirrorSettings, parseMirror } from '../format/mirror.ts'
import {
  CHECKPOINT_FILE,
  KEY_FILE,
  keyOf,
  LOG_FILE,
  leavesKey,
  MIRROR_FILE,
  MODERATION_FILE,
  parseMediaName,
  recordsKey,
  snapshotKey,
} from '../format/paths.ts'
import { type ActionLine, parseActions } from '../format/record-lines.ts'
import { newestLeaves } from '../log/days.ts'
import { formatVkey, parseKeys } from '../log/note.ts'
import { CachingPlace } from '../place/caching.ts'
import type { ArchiveLocation } from '../place/location.ts'
import { openPlace, SERVER_REQUESTS } from '../place/open.ts'
import { errorOf, type FileState, type Place, readExisting, textOf } from '../place/place.ts'
import { type LoadedManifest, Manifests, readSnapshot } from './day-files.ts'
import { type KeyedLog, openLogFiles } from './signed-log.ts'

/** A file that exists and is not read yet. */
export interface OpenFile {
  bytes: number
  /** Changes whenever the content does. */
  version: string
  /**
   * The bytes from `start` to `end`, both inclusive, as in an HTTP range; all by default. Rejects with
   * `archive_unavailable`, or with the code of a damaged file of its kind if it is gone.
   */
  open(start?: number, end?: number): Promise<ReadableStream<Uint8Array>>
}

/** A media file that a sealed manifest names and that exists with the stated size. */
export interface OpenMedium extends OpenFile {
  kind: MediaKind
  sha256: string
  /** `<day>/<filename>` as in FORMAT.md 2.1, for messages. */
  name: string
  /** The local path; null if the file is not on this machine. */
  path: string | null
  /** A presigned URL, valid for some minutes; null if the place has none. */
  address(): Promise<string> | null
}

/** The files of the log of days, and the codes of the errors for damaged ones. */
const LOG_CODES = {
  [LOG_FILE]: 'invalid_log',
  [CHECKPOINT_FILE]: 'invalid_checkpoint',
  [KEY_FILE]: 'invalid_key',
} as const

export type LogFileName = keyof typeof LOG_CODES

export interface ReaderOptions {
  /**
   * Never look up a manifest again once all its media are available: only damage can change it then, and each lookup
   * costs a request.
   */
  cachesFinal?: boolean
  /** Days already known to be sealed. */
  sealed?: Iterable<string>
}

/**
 * Opens an archive for a long-running process: reads from a bucket are cached for some seconds.
 * @param random 0 to 1, jitters the pauses between attempts
 */
export async function openReader(
  location: ArchiveLocation,
  random: () => number,
): Promise<ArchiveReader> {
  const place = await openPlace(location, { ...SERVER_REQUESTS, random })
  if ('dir' in location) return new ArchiveReader(place)
  return new ArchiveReader(new CachingPlace(place), { cachesFinal: true })
}

/**
 * Reads the archive at a place: each call the state of that moment.
 *
 * Every method rejects with ArchiveError `archive_unavailable` if the archive is missing or unreadable
 * at that moment. Methods that take a day reject with `invalid_manifest`, `invalid_snapshot` or
 * `invalid_medium` if that day is damaged; `days` still lists it.
 */
export class ArchiveReader {
  readonly #place: Place
  readonly #sealed: Set<string>
  /** The folders found last, and those of them that are named like days, ascending. */
  #listed: { folders: readonly string[]; days: readonly string[]; areSealed: boolean } | null = null
  readonly #manifests: Manifests
  #log: KeyedLog | null = null
  /** The record of moderation that was read last. */
  #record: { version: string; actions: ActionLine[] } | null = null

  constructor(place: Place, { cachesFinal = false, sealed = [] }: ReaderOptions = {}) {
    this.#place = place
    this.#manifests = new Manifests(place, cachesFinal)
    this.#sealed = new Set(sealed)
  }

  /** The sealed days, ascending. Names that are not days are skipped. */
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
    // A sealed day stays sealed, so look for its manifest only once.
    for (const day of listed.days)
      if (!this.#sealed.has(day) && (await this.#manifests.isSealed(day))) this.#sealed.add(day)
    const sealed = listed.days.filter((day) => this.#sealed.has(day))
    listed.areSealed = sealed.length === listed.days.length
    return sealed
  }

  /** The days that are not sealed, but whose snapshot a run has fixed, ascending. */
  async begunDays(): Promise<readonly string[]> {
    const sealed = new Set(await this.days())
    const open = (await this.#place.folders()).filter((name) => isDay(name) && !sealed.has(name))
    const begun: string[] = []
    for (const day of open) if (await this.#place.stat(snapshotKey(day))) begun.push(day)
    return begun.sort()
  }

  /** `<day>.manifest.json`; null if the day is not sealed. */
  async manifest(day: string): Promise<LoadedManifest | null> {
    const loaded = await this.#manifests.get(day)
    if (loaded) return loaded
    this.#sealed.delete(day)
    this.#listed = null
    return null
  }

  /** A version that changes when the day's manifest is replaced; null if the day is not sealed. */
  version(day: string): Promise<string | null> {
    return this.#manifests.version(day)
  }

  /** A file of the log of days; null if there is none. */
  async logFile(name: LogFileName): Promise<Uint8Array | null> {
    return (await readExisting(this.#place, name, LOG_CODES[name]))?.content ?? null
  }

  /**
   * The log as far as its checkpoint signs it, opened again once that has changed; null if there is none yet. Rejects with the
   * code of a damaged file, or if none of the log's keys has signed it.
   */
  async log(): Promise<KeyedLog | null> {
    // Read the checkpoint first, so that the log read after it has at least as many leaves.
    const note = await this.logFile(CHECKPOINT_FILE)
    if (!note) return null
    if (this.#log && Buffer.compare(this.#log.note, note) === 0) return this.#log
    const [log, key] = [await this.logFile(LOG_FILE), await this.logFile(KEY_FILE)]
    if (!log || !key) return null
    const keys = naming(KEY_FILE, () => parseKeys(key))
    const signed = await openLogFiles(note, log, () => keys)
    this.#log = { ...signed, keys: keys.map(formatVkey), newest: newestLeaves(signed.entries) }
    return this.#log
  }

  /** `<day>.json`; null if the day is not sealed. */
  async snapshot(day: string) {
    const sealed = await this.manifest(day)
    if (!sealed) return null
    const key = snapshotKey(day)
    const loaded = await readSnapshot(this.#place, day)
    if (!loaded) throw missing('invalid_snapshot', key)
    if (sha256Of(loaded.bytes) !== sealed.manifest.snapshot_file.sha256)
      throw new ArchiveError('invalid_snapshot', `${key}: is not the file that the manifest names`)
    return loaded
  }

  /** Null if the day is not sealed, its manifest does not name the file, or the mirror does not select it. */
  async openMedia(day: string, filename: string): Promise<OpenMedium | null> {
    const name = parseMediaName(filename)
    if (!name) return null
    const medium = (await this.manifest(day))?.manifest.media[name.kind]
    if (!medium?.available || medium.filename !== filename) return null
    const key = keyOf(day, filename)
    const state = await this.#place.stat(key)
    if (!state && (await this.mirror())?.media.includes(name.kind) === false) return null
    if (!state) throw missing('invalid_medium', key)
    if (state.bytes !== medium.bytes)
      throw new ArchiveError(
        'invalid_medium',
        `${key}: has ${state.bytes} bytes; its manifest states ${medium.bytes}`,
      )
    const place = this.#place
    const path = place.pathOf(key)
    // An error while the response is being sent comes too late.
    const opened = path !== null && (await place.open(key, 0, -1))
    if (opened && 'problem' in opened) throw errorOf(place, key, opened, 'invalid_medium')
    return {
      ...name,
      ...this.#fileAt(key, state, 'invalid_medium'),
      name: key,
      path,
      address: () => place.addressOf(key),
    }
  }

  /** `<day>.leaves`; null if the day has none. */
  async leaves(day: string): Promise<OpenFile | null> {
    const key = leavesKey(day)
    const state = await this.#place.stat(key)
    return state && this.#fileAt(key, state, 'leaves_differ')
  }

  /** `mirror.json`; null if the archive is not a mirror. Rejects with `invalid_mirror` if it is damaged. */
  async mirror(): Promise<MirrorSettings | null> {
    const file = await readExisting(this.#place, MIRROR_FILE, 'invalid_mirror')
    return file && parseMirror(file.content)
  }

  /** The records of a day (FORMAT.md 26); null if this is not a mirror that keeps them. */
  async records(day: string): Promise<OpenFile | null> {
    const key = recordsKey(day)
    const state = await this.#place.stat(key)
    if (!state || !(await this.mirror())?.records) return null
    return this.#fileAt(key, state, 'invalid_records')
  }

  /** The record of moderation, ascending; null if this is not a mirror that keeps it. Rejects with `invalid_records`. */
  async actions(): Promise<ActionLine[] | null> {
    if (!(await this.mirror())?.records) return null
    const file = await readExisting(this.#place, MODERATION_FILE, 'invalid_records')
    if (!file) return null
    if (file.version !== this.#record?.version)
      this.#record = {
        version: file.version,
        actions: naming(MODERATION_FILE, () => parseActions(textOf(file))),
      }
    return this.#record.actions
  }

  /** @param code of the error if the file is gone when it is opened */
  #fileAt(key: string, { bytes, version }: FileState, code: ArchiveErrorCode): OpenFile {
    const place = this.#place
    return {
      bytes,
      version,
      async open(start = 0, end = bytes - 1) {
        const stream = await place.open(key, start, end)
        if ('problem' in stream) throw errorOf(place, key, stream, code)
        return stream
      },
    }
  }
}

function missing(code: ArchiveErrorCode, key: string): ArchiveError {
  return new ArchiveError(code, `${key}: is missing`)
}
