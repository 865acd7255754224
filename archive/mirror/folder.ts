// Reads and writes the folder of a mirror: settings, files of the days, staging and refused files.
import { lstat, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { realDisk, replaceFile } from '../base/durable.ts'
import { makeFolders } from '../base/folders.ts'
import { Queue } from '../base/queue.ts'
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
  keyOf,
  LOCK_FILE,
  MIRROR_FILE,
  partName,
  partTagName,
  REFUSED_FOLDER,
  ROOT,
  refusedName,
  stagingFolder,
  TEMPORARY,
} from '../format/paths.ts'
import {
  moveIntoPlace,
  removeStaging,
  stage,
  stagingOf,
  type WritableArchive,
} from '../writing/staging.ts'
import { type Download, removePart } from './download.ts'

/** A hostile source must not fill the disk with refused files. */
const MAX_REFUSED = 64

/**
 * Creates the folder if it is missing.
 * @throws ArchiveError `not_a_mirror` if the folder contains something else
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
    `${dir}: is neither empty nor a mirror (it contains ${JSON.stringify(other)}); name another folder`,
  )
}

export class MirrorFolder {
  readonly dir: string
  readonly #archive: WritableArchive
  /** Settles once no refused file is being written. */
  readonly #refusedWrites = new Queue()

  constructor(dir: string) {
    this.dir = resolve(dir)
    this.#archive = { dir: this.dir, disk: realDisk }
  }

  /**
   * Merges the requested selection into the mirror's settings. Writes nothing.
   * @param wanted the requested selection; absent properties stay as they are
   * @throws ArchiveError `not_a_mirror` if the mirror already has more than that
   */
  async settingsFor(source: string, wanted: Partial<Selection>): Promise<MirrorSettings> {
    const before = await loadMirror(this.dir)
    const settings = { ...FULL_SELECTION, ...before, ...wanted, source }
    if (before && !includes(settings, before))
      throw new ArchiveError(
        'not_a_mirror',
        `${this.dir}: has more days or media than requested; a mirror can only be widened`,
      )
    return settings
  }

  /**
   * Writes `mirror.json`: before any other file, so that no pipeline takes the folder for its own archive, but only
   * after the source has shown a log, so that a wrong address does not fix the settings.
   */
  async writeSettings(settings: MirrorSettings): Promise<void> {
    await this.replace(MIRROR_FILE, mirrorBytes(settings))
  }

  /** A file in the root; null if there is none. */
  root(name: string): Promise<Uint8Array | null> {
    return bytesOf(this.dir, ROOT, name)
  }

  /** A published file of a day; null if there is none. */
  file(day: string, name: string): Promise<Uint8Array | null> {
    return bytesOf(this.dir, day, name)
  }

  /** A staged file of a day; null if there is none. */
  staged(day: string, name: string): Promise<Uint8Array | null> {
    return bytesOf(this.dir, stagingFolder(day), name)
  }

  /** Replaces a file in the root, unless it has these bytes already. */
  async replace(name: string, bytes: Uint8Array): Promise<void> {
    const present = await this.root(name)
    if (present && Buffer.compare(present, bytes) === 0) return
    await replaceFile(realDisk, this.dir, TEMPORARY, bytes, name)
  }

  /** Whether a media file exists. Its size suffices, since it got its name only after its hash was verified. */
  async has(day: string, { name, bytes }: NamedFile): Promise<boolean> {
    return (await statsOf(this.dir, day, name))?.size === BigInt(bytes)
  }

  /** Prepares the download of a media file. */
  async incoming(day: string, { name, sha256, bytes }: NamedFile): Promise<Download> {
    const folder = stagingOf(this.#archive, day)
    await makeFolders(folder)
    return {
      key: keyOf(day, name),
      sha256,
      bytes,
      part: join(folder, partName(name)),
      tag: join(folder, partTagName(name)),
    }
  }

  /** Moves a completed download to its final name. */
  async accept(day: string, name: string, incoming: Download): Promise<void> {
    const folder = await this.#dayFolder(day)
    await realDisk.rename(incoming.part, join(folder, name))
    await removePart(incoming)
  }

  /** Writes a verified file into the staging folder of a day. */
  async stage(day: string, name: string, bytes: Uint8Array): Promise<void> {
    await stage(this.#archive, day, bytes, name)
  }

  /** Publishes a staged file. */
  async publish(day: string, name: string): Promise<void> {
    const folder = await this.#dayFolder(day)
    // Make the files moved before durable first, so that a power cut cannot lose them and keep this one.
    await realDisk.syncFolder(folder)
    await moveIntoPlace(this.#archive, day, name)
    await realDisk.syncFolder(folder)
  }

  async removeStaging(day: string): Promise<void> {
    await removeStaging(this.#archive, day)
  }

  /**
   * Keeps a file from the source that contradicts this mirror, as evidence. Writes are serialized, because all use the
   * same temporary name.
   * @returns its path in the mirror
   */
  keepRefused(name: string, bytes: Uint8Array): Promise<string> {
    return this.#refusedWrites.run(() => this.#writeRefused(name, bytes))
  }

  async #writeRefused(name: string, bytes: Uint8Array): Promise<string> {
    const folder = join(this.dir, REFUSED_FOLDER)
    const target = refusedName(name, sha256Of(bytes))
    await makeFolders(folder)
    const names = await namesIn(folder)
    if (!names.includes(target) && names.length < MAX_REFUSED)
      await replaceFile(realDisk, folder, TEMPORARY, bytes, target)
    return keyOf(REFUSED_FOLDER, target)
  }

  /** Creates the folder of a day. @throws ArchiveError `conflict` for a link, which would lead out of the mirror */
  async #dayFolder(day: string): Promise<string> {
    const folder = join(this.dir, day)
    await realDisk.makeFolder(folder)
    await realDisk.syncFolder(this.dir)
    if (!(await lstat(folder)).isDirectory())
      throw new ArchiveError('conflict', `${day} is a link, and nothing is written behind it`)
    return folder
  }
}
