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
import { parseSnapshot } from '../format/snapshot.ts'
import { type Place, type ReadablePlace, readExisting } from '../place/place.ts'

/** Reads the manifest of a day; null if there is none. @throws ArchiveError `invalid_manifest`, `archive_unavailable` */
export async function readManifest(place: ReadablePlace, day: string) {
  const file = await readExisting(place, manifestKey(day), 'invalid_manifest')
  if (!file) return null
  const { content: bytes, version } = file
  return { manifest: manifestOf(bytes, day), bytes, version }
}

/** A manifest with its bytes, and the version of its file when it was read: a repair may replace it. */
export type LoadedManifest = NonNullable<Awaited<ReturnType<typeof readManifest>>>

/** Reads the snapshot of a day; null if there is none. @throws ArchiveError `invalid_snapshot`, `archive_unavailable` */
export async function readSnapshot(place: ReadablePlace, day: string) {
  const key = snapshotKey(day)
  const file = await readExisting(place, key, 'invalid_snapshot')
  if (!file) return null
  const bytes = file.content
  return { snapshot: ofDay(day, key, 'invalid_snapshot', () => parseSnapshot(bytes)), bytes }
}

/** Parses the manifest of a day. @throws ArchiveError `invalid_manifest` naming the file */
export const manifestOf = (bytes: Uint8Array, day: string): Manifest =>
  ofDay(day, manifestKey(day), 'invalid_manifest', () => parseManifest(bytes))

function ofDay<T extends { day: string }>(
  day: string,
  key: string,
  code: ArchiveErrorCode,
  parse: () => T,
): T {
  const parsed = naming(key, parse)
  if (parsed.day !== day) throw new ArchiveError(code, `${key}: is of ${parsed.day}`)
  return parsed
}

/** Several pages of the list of days; a few megabytes, at about 10 kB each. */
const CACHED_MANIFESTS = 512

/** Every method rejects with ArchiveError `invalid_manifest`, or `archive_unavailable` from the place. */
export class Manifests {
  readonly #place: Place
  readonly #cachesFinal: boolean
  readonly #cached = new BoundedMap<string, LoadedManifest>(CACHED_MANIFESTS)
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
