// Caches the manifests of an archive's days: one is read again only after its file has changed.
import { BoundedMap } from '../base/bounded-map.ts'
import { ArchiveError, isArchiveError, isFileDamage } from '../base/errors.ts'
import { systemCode } from '../base/system-error.ts'
import { isDay } from '../format/calendar.ts'
import type { Medium } from '../format/manifest.ts'
import { byKind } from '../format/media.ts'
import { manifestKey } from '../format/paths.ts'
import type { Place } from '../place/place.ts'
import { type LoadedManifest, type ManifestFile, readManifest } from './day-files.ts'

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
    try {
      return (await this.version(day)) !== null
    } catch (error) {
      if (isArchiveError(error, 'invalid_manifest')) return true
      throw error
    }
  }
}
