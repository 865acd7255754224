// The folder of a mirror: its settings, what it has of each day, and how checked files get into place.
import { lstat, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ArchiveError } from '../errors.ts'
import { bytesOf, loadMirror, namesIn, statsOf } from '../files.ts'
import { sha256Of } from '../format/hash.ts'
import type { NamedFile } from '../format/manifest.ts'
import {
  FULL_SELECTION,
  includes,
  type MirrorSettings,
  mirrorBytes,
  type Selection,
} from '../format/mirror.ts'
import {
  LOCK_FILE,
  MIRROR_FILE,
  partName,
  partTagName,
  REFUSED_FOLDER,
  refusedName,
  stagingFolder,
  TEMPORARY,
} from '../format/paths.ts'
import { ROOT } from '../place/place.ts'
import { makeFolders, realDisk, writeDurably } from '../writing/durable.ts'
import {
  moveIntoPlace,
  removeStaging,
  stage,
  stagingOf,
  type WritableArchive,
} from '../writing/staging.ts'
import { type Download, removePart } from './download.ts'

/** A hostile source must not fill the disk with what is refused. */
const MAX_REFUSED = 64

/**
 * Makes the folder where it is missing.
 * @throws ArchiveError `not_a_mirror` for a folder that holds something else
 */
export async function prepareFolder(dir: string): Promise<void> {
  await makeFolders(resolve(dir))
  if (await loadMirror(dir)) return
  const other = (await readdir(dir)).find(
    (name) => !name.startsWith(LOCK_FILE) && name !== TEMPORARY,
  )
  if (other === undefined) return
  throw new ArchiveError(
    'not_a_mirror',
    `${dir}: is not empty and no mirror (it holds ${JSON.stringify(other)}); name another folder`,
  )
}

export class MirrorFolder {
  readonly dir: string
  readonly #archive: WritableArchive
  /** Settles once nothing is being written to the folder of what was refused. */
  #keeping: Promise<unknown> = Promise.resolve()

  constructor(dir: string) {
    this.dir = resolve(dir)
    this.#archive = { dir: this.dir, disk: realDisk }
  }

  /**
   * What the mirror is to have now. Nothing is written.
   * @param wanted what the caller asks for; the rest is as before
   * @throws ArchiveError `not_a_mirror` when the mirror has more than is wanted now
   */
  async settingsFor(source: string, wanted: Partial<Selection>): Promise<MirrorSettings> {
    const before = await loadMirror(this.dir)
    const { from, to, media } = { ...FULL_SELECTION, ...before, ...wanted }
    const settings = { source, from, to, media }
    if (before && !includes(settings, before))
      throw new ArchiveError(
        'not_a_mirror',
        `${this.dir}: has more days or media than are asked for now; a mirror can only be widened`,
      )
    return settings
  }

  /**
   * Writes `mirror.json`: before any other file, so that no pipeline takes the folder for its own, and once the source
   * has shown a log, so that an address that leads nowhere fixes nothing.
   */
  async settle(settings: MirrorSettings): Promise<void> {
    await this.replace(MIRROR_FILE, mirrorBytes(settings))
  }

  /** A file of the root; null when there is none. */
  root(name: string): Promise<Uint8Array | null> {
    return bytesOf(this.dir, ROOT, name)
  }

  /** A file of a day, in place or, where it waits for its media, staged. */
  file(day: string, name: string): Promise<Uint8Array | null> {
    return bytesOf(this.dir, day, name)
  }

  staged(day: string, name: string): Promise<Uint8Array | null> {
    return bytesOf(this.dir, stagingFolder(day), name)
  }

  /** Replaces a file of the root, unless it has these bytes. */
  async replace(name: string, bytes: Uint8Array): Promise<void> {
    const present = await this.root(name)
    if (present && Buffer.compare(present, bytes) === 0) return
    await writeDurably(realDisk, this.dir, TEMPORARY, bytes, name)
  }

  /** Whether a medium is there: it got its name only once its hash was checked. */
  async has(day: string, { name, bytes }: NamedFile): Promise<boolean> {
    return (await statsOf(this.dir, day, name))?.size === BigInt(bytes)
  }

  /** Where a medium arrives. */
  async incoming(day: string, url: string, { name, sha256, bytes }: NamedFile): Promise<Download> {
    const folder = stagingOf(this.#archive, day)
    await makeFolders(folder)
    return {
      url,
      sha256,
      bytes,
      part: join(folder, partName(name)),
      tag: join(folder, partTagName(name)),
    }
  }

  /** Gives a medium that has arrived whole its name. */
  async accept(day: string, name: string, incoming: Download): Promise<void> {
    const folder = await this.#dayFolder(day)
    await realDisk.rename(incoming.part, join(folder, name))
    await removePart(incoming)
  }

  /** Writes a checked file into the staging of a day. */
  async stage(day: string, name: string, bytes: Uint8Array): Promise<void> {
    await stage(this.#archive, day, bytes, name)
  }

  /** Moves a staged file to its place. */
  async place(day: string, name: string): Promise<void> {
    const folder = await this.#dayFolder(day)
    // What was moved before outlasts a power cut before this is.
    await realDisk.syncFolder(folder)
    await moveIntoPlace(this.#archive, day, name)
    await realDisk.syncFolder(folder)
  }

  async removeStaging(day: string): Promise<void> {
    await removeStaging(this.#archive, day)
  }

  /**
   * Keeps what a source showed in contradiction to this mirror, one file after the other: all use the same temporary name.
   * @returns where
   */
  keepRefused(name: string, bytes: Uint8Array): Promise<string> {
    const kept = this.#keeping.then(() => this.#keep(name, bytes))
    this.#keeping = kept.catch(() => {})
    return kept
  }

  async #keep(name: string, bytes: Uint8Array): Promise<string> {
    const folder = join(this.dir, REFUSED_FOLDER)
    const kept = refusedName(name, sha256Of(bytes))
    await makeFolders(folder)
    const names = await namesIn(folder)
    if (!names.includes(kept) && names.length < MAX_REFUSED)
      await writeDurably(realDisk, folder, TEMPORARY, bytes, kept)
    return `${REFUSED_FOLDER}/${kept}`
  }

  /** @throws ArchiveError `conflict` for a link, which would lead out of the mirror */
  async #dayFolder(day: string): Promise<string> {
    const folder = join(this.dir, day)
    await realDisk.makeFolder(folder)
    await realDisk.syncFolder(this.dir)
    if (!(await lstat(folder)).isDirectory())
      throw new ArchiveError('conflict', `${day} is a link, and nothing is written behind it`)
    return folder
  }
}
