// A place that caches reads for some seconds, for a server on which many requests read the same files.
import { BoundedMap } from '../base/bounded-map.ts'
import { ArchiveError, type BadFile, badFile, isArchiveError } from '../base/errors.ts'
import { CHECKPOINT_FILE, KEY_FILE, LOG_FILE } from '../format/paths.ts'
import { REREAD_AFTER_MS, REREADS } from '../log/rereading.ts'
import {
  errorOf,
  type FileState,
  isOutage,
  type Opened,
  type Place,
  type ReadFile,
} from './place.ts'

/** Entries expire sooner than a client stops to wait for a log and a checkpoint that match [ms]. */
const TTL_MS = (REREADS - 1) * REREAD_AFTER_MS
/** The list of days changes once a day; a new day must show within a minute [ms]. */
const FOLDERS_TTL_MS = 30_000
/** The pause before an unreachable place is tried again [ms]. */
const FAILURE_TTL_MS = 3_000
/** When a read takes longer than this, the stale value is served instead [ms]. */
const SLOW_MS = 1_000
/** The number of cached values; the files among them are a few kilobytes each. */
const MAX_ENTRIES = 2_000

/** Files that must be read again, after the checkpoint, whenever it changes. */
const AFTER_CHECKPOINT = [LOG_FILE, KEY_FILE]

interface CachedFile {
  /** The latest value, possibly stale. */
  cached?: { value: unknown }
  /** The error of the last read, thrown while it is fresh and there is no value. */
  failure?: unknown
  /** Whether the value or the failure has not expired yet. */
  isFresh: boolean
  /** The read in flight, which concurrent callers share. */
  pending?: Promise<unknown>
}

/** A file that an unreachable place did not give. */
class Outage extends ArchiveError {
  readonly file: BadFile

  constructor(place: Place, key: string, file: BadFile) {
    super('archive_unavailable', errorOf(place, key, file, 'archive_unavailable').message)
    this.file = file
  }
}

/** Caches the reads of a place; serves stale values while it is unreachable. Streams pass through. */
export class CachingPlace implements Place {
  readonly name: string
  readonly #place: Place
  readonly #entries = new BoundedMap<string, CachedFile>(MAX_ENTRIES)
  /** Whether a read has been slow since the last success. If so, stale values are served without delay. */
  #isSlow = false
  /** The error of a slow, unreachable place. Uncached reads fail with it until the next try. */
  #outage: unknown

  constructor(place: Place) {
    this.name = place.name
    this.#place = place
  }

  nameOf(key: string): string {
    return this.#place.nameOf(key)
  }

  pathOf(key: string): string | null {
    return this.#place.pathOf(key)
  }

  addressOf(key: string): Promise<string> | null {
    return this.#place.addressOf(key)
  }

  folders(): Promise<readonly string[]> {
    return this.#read('folders', () => this.#place.folders(), FOLDERS_TTL_MS)
  }

  stat(key: string): Promise<FileState | null> {
    return this.#read(`stat ${key}`, () => this.#place.stat(key))
  }

  async read(key: string): Promise<ReadFile | BadFile> {
    try {
      return await this.#read(`read ${key}`, () => this.#loadFile(key))
    } catch (error) {
      return fileOf(error)
    }
  }

  async open(key: string, start: number, end: number): Promise<Opened> {
    return this.#outage ? fileOf(this.#outage) : this.#place.open(key, start, end)
  }

  /** Loads a file. A log cached before a new checkpoint may lack leaves that it signs, so it is dropped. */
  async #loadFile(key: string): Promise<ReadFile | BadFile> {
    const file = await this.#place.read(key)
    if ('problem' in file && isOutage(file)) throw new Outage(this, key, file)
    const before = this.#entries.get(`read ${key}`)?.cached?.value
    if (key === CHECKPOINT_FILE && versionIn(file) !== versionIn(before as typeof file | undefined))
      for (const other of AFTER_CHECKPOINT) this.#entries.delete(`read ${other}`)
    return file
  }

  async #read<T>(query: string, load: () => Promise<T>, ttlMs = TTL_MS): Promise<T> {
    const entry = this.#entryOf(query)
    const cached = entry.cached as { value: T } | undefined
    if (entry.isFresh && !cached) throw entry.failure
    if (entry.isFresh && cached) return cached.value
    if (this.#outage && !cached) throw this.#outage
    entry.pending ??= this.#load(entry, load, ttlMs)
    const pending = entry.pending as Promise<T>
    return cached ? this.#newOrStale(pending, cached.value) : pending
  }

  async #newOrStale<T>(pending: Promise<T>, stale: T): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<T>((resolve) => {
      timer = setTimeout(resolve, this.#isSlow ? 0 : SLOW_MS, stale)
    })
    try {
      return await Promise.race([pending, late])
    } finally {
      clearTimeout(timer)
    }
  }

  async #load<T>(entry: CachedFile, load: () => Promise<T>, ttlMs: number): Promise<T> {
    const slow = setTimeout(() => {
      this.#isSlow = true
    }, SLOW_MS).unref()
    try {
      const value = await load()
      this.#isSlow = false
      this.#outage = undefined
      entry.cached = { value }
      keepFresh(entry, ttlMs)
      return value
    } catch (error) {
      keepFresh(entry, FAILURE_TTL_MS)
      const isUnavailable = isArchiveError(error, 'archive_unavailable')
      if (isUnavailable && this.#isSlow) this.#backOff(error)
      if (isUnavailable && entry.cached) return entry.cached.value as T
      delete entry.cached
      entry.failure = error
      throw error
    } finally {
      clearTimeout(slow)
      delete entry.pending
    }
  }

  #backOff(error: ArchiveError): void {
    this.#outage = error
    setTimeout(() => {
      if (this.#outage === error) this.#outage = undefined
    }, FAILURE_TTL_MS).unref()
  }

  #entryOf(query: string): CachedFile {
    const known = this.#entries.get(query)
    if (known) return known
    const entry: CachedFile = { isFresh: false }
    this.#entries.set(query, entry)
    return entry
  }
}

/** What is wrong with a file that an unreachable place did not give. @throws any other error */
function fileOf(error: unknown): BadFile {
  if (error instanceof Outage) return error.file
  if (isArchiveError(error, 'archive_unavailable')) return badFile('unreachable', error.message)
  throw error
}

function versionIn(file: ReadFile | BadFile | undefined): string | null {
  return file && 'version' in file ? file.version : null
}

function keepFresh(entry: CachedFile, ms: number): void {
  entry.isFresh = true
  setTimeout(() => {
    entry.isFresh = false
  }, ms).unref()
}
