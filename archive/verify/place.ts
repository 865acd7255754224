// The source for an archive in an object store: the files of a folder without the writer's own.
import { ArchiveError } from '../errors.ts'
import type { Manifest } from '../format/manifest.ts'
import {
  isDay,
  keyOf,
  manifestName,
  PROBE_KEY,
  ROOT,
  snapshotKey,
  splitKey,
} from '../format/paths.ts'
import type { FileState, WritablePlace } from '../place/place.ts'
import type { Finding } from './findings.ts'
import { readSelection } from './selection.ts'
import { type Listing, problem, type Source, type SourceFile } from './source.ts'
import { ROOT_FILES, stray, strayNames, unfinished } from './strays.ts'

/** Reads an archive in an object store for verify. */
export function placeSource(place: WritablePlace): Source {
  return new PlaceSource(place)
}

class PlaceSource implements Source {
  readonly place: string
  readonly holdsDerived = true
  readonly #place: WritablePlace
  /** Folder -> its files, as listed. */
  readonly #listed = new Map<string, Map<string, FileState>>()

  constructor(place: WritablePlace) {
    this.place = place.name
    this.#place = place
  }

  async list(): Promise<Listing> {
    const { selection, findings } = await readSelection(this)
    await this.#listAll()
    const days: string[] = []
    for (const [folder, files] of [...this.#listed].sort()) {
      if (folder === ROOT) findings.push(...[...files.keys()].filter(isStrayInRoot).map(stray))
      else if (!isDay(folder)) findings.push(stray(folder))
      else if (files.has(manifestName(folder))) days.push(folder)
      // The manifest is written last, so only the snapshot and media may exist yet.
      else findings.push(unfinished(snapshotKey(folder)))
    }
    return { days, findings, selection }
  }

  nameOf(day: string, name: string): string {
    return keyOf(day, name)
  }

  read(day: string, name: string, limit: number): Promise<SourceFile> {
    return this.#read(keyOf(day, name), limit)
  }

  /** The state at the time of listing, since one list request covers hundreds of files. */
  async stateOf(day: string, name: string): Promise<FileState | null> {
    return this.#listed.get(day)?.get(name) ?? null
  }

  readRoot(name: string, limit: number): Promise<SourceFile> {
    return this.#read(name, limit)
  }

  rootName(name: string): string {
    return name
  }

  /** Looks for stray files in the day's folder. */
  async crossCheck(day: string, manifest: Manifest): Promise<Finding[]> {
    const present = this.#listed.get(day)?.keys() ?? []
    return strayNames(manifest, present).map((name) => stray(this.nameOf(day, name)))
  }

  async #listAll(): Promise<void> {
    this.#listed.clear()
    for (const [key, state] of await this.#place.listAll()) {
      const [folder, name] = splitKey(key)
      const files = this.#listed.get(folder) ?? new Map<string, FileState>()
      this.#listed.set(folder, files.set(name, state))
    }
  }

  async #read(key: string, limit: number): Promise<SourceFile> {
    try {
      const file = await this.#place.get(key)
      if (!file) return problem('missing', 'is missing')
      if (file.content.length > limit) return problem('too_large', `is longer than ${limit} bytes`)
      return { bytes: file.content, contentType: null, version: file.version }
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error
      return problem('unreadable', error.message)
    }
  }
}

function isStrayInRoot(name: string): boolean {
  return !ROOT_FILES.includes(name) && name !== PROBE_KEY
}
