// Reads and parses the snapshot and the manifest of a day at a place, and caches manifests.
import { BoundedMap } from '../base/bounded-map.ts'
import {
  ArchiveError,
  type ArchiveErrorCode,
  caught,
  isArchiveError,
  isFileDamage,
  naming,
} from '../base/errors.ts'
import { systemCode } from '../base/system-error.ts'
import { isDay } from '../format/calendar.ts'
import { type Manifest, type Medium, parseManifest } from '../format/manifest.ts'
import { byKind } from '../format/media.ts'
import { manifestKey, snapshotKey } from '../format/paths.ts'
import { parseSnapshot, type Snapshot } from '../format/snapshot.ts'
import { type Place, type ReadablePlace, readExisting } from '../place/place.ts'

/** The parsed content of a file and the bytes it was parsed from. */
export interface LoadedManifest {
  manifest: Manifest
  bytes: Uint8Array
}

export interface LoadedSnapshot {
  snapshot: Snapshot
  bytes: Uint8Array
}

/** A manifest, and the version of its file when it was read: a repair may replace it. */
export interface ManifestFile extends LoadedManifest {
  version: string
}

/**
 * Reads the manifest of a day; null if there is none.
 * @throws ArchiveError `invalid_manifest`, `archive_unavailable`
 */
export async function readManifest(
  place: ReadablePlace,
  day: string,
): Promise<ManifestFile | null> {
  const key = manifestKey(day)
  const file = await readExisting(place, key, 'invalid_manifest')
  return file && { ...manifestOf(file.content, key, day), version: file.version }
}

/**
 * Reads the snapshot of a day; null if there is none.
 * @throws ArchiveError `invalid_snapshot`, `archive_unavailable`
 */
export async function readSnapshot(
  place: ReadablePlace,
  day: string,
): Promise<LoadedSnapshot | null> {
  const key = snapshotKey(day)
  const file = await readExisting(place, key, 'invalid_snapshot')
  return file && snapshotOf(file.content, key, day)
}

/** Parses a manifest. @throws ArchiveError `invalid_manifest` naming the file */
export function manifestOf(bytes: Uint8Array, shown: string, day: string): LoadedManifest {
  const manifest = naming(shown, () => parseManifest(bytes))
  demandDay(shown, 'invalid_manifest', manifest.day, day)
  return { manifest, bytes }
}

/** Parses a snapshot. @throws ArchiveError `invalid_snapshot` naming the file */
export function snapshotOf(bytes: Uint8Array, shown: string, day: string): LoadedSnapshot {
  const snapshot = naming(shown, () => parseSnapshot(bytes))
  demandDay(shown, 'invalid_snapshot', snapshot.day, day)
  return { snapshot, bytes }
}

function demandDay(name: string, code: ArchiveErrorCode, actual: string, expected: string): void {
  if (actual !== expected) throw new ArchiveError(code, `${name}: is of ${actual}`)
}

/** Several pages of the list of days; a few megabytes, at about 10 kB each. */
const CACHED_MANIFESTS = 512

/** Every method rejects with ArchiveError `invalid_manifest`, or `archive_unavailable` from the place. */
export class Manifests {
  readonly #place: Place
  readonly #cachesFinal: boolean
  readonly #cached = new BoundedMap<string, ManifestFile>(CACHED_MANIFESTS)
  /** Day -> version of its manifest, for manifests that are complete and not looked up again. */
  readonly #final = new Map<string, string>()

  /** @param cachesFinal see ReaderOptions */
  constructor(place: Place, cachesFinal: boolean) {
    this.#place = place
    this.#cachesFinal = cachesFinal
  }

  /** Null if the day is not sealed. */
  async get(day: string): Promise<LoadedManifest | null> {
    const version = await this.version(day)
    if (version === null) return null
    const cached = this.#cached.get(day)
    if (cached?.version === version) return cached
    const loaded = await readManifest(this.#place, day)
    if (!loaded) return null
    this.#cached.set(day, loaded)
    const media = byKind<Medium>(loaded.manifest.media)
    if (this.#cachesFinal && media.every(([, medium]) => medium.available))
      this.#final.set(day, loaded.version)
    return loaded
  }

  /** Null if the day is not sealed. */
  async version(day: string): Promise<string | null> {
    if (!isDay(day)) return null
    const final = this.#final.get(day)
    if (final !== undefined) return final
    const key = manifestKey(day)
    const state = await this.#place.stat(key).catch((error) => {
      if (!isFileDamage(error)) throw error
      const reason = systemCode(isArchiveError(error) ? error.cause : error)
      throw new ArchiveError('invalid_manifest', `${key}: cannot be read (${reason})`, {
        cause: error,
      })
    })
    return state?.version ?? null
  }

  /** A day whose manifest is damaged is still sealed. */
  async isSealed(day: string): Promise<boolean> {
    const damaged = caught(() => 'damaged', 'invalid_manifest')
    return (await this.version(day).catch(damaged)) !== null
  }
}
