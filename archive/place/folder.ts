// A place in a local folder. The pipeline's lock excludes other writers, so compare-then-write is atomic.
import type { BigIntStats, Dirent } from 'node:fs'
import { access, constants, lstat, open, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { Queue } from '../base/concurrently.ts'
import { type Disk, realDisk, replaceFile } from '../base/durable.ts'
import {
  ArchiveError,
  asReadError,
  asWriteError,
  type BadFile,
  badFile,
  isFileDamage,
} from '../base/errors.ts'
import { nullIfMissing, systemCode } from '../base/system-error.ts'
import { boundOf } from '../format/bounds.ts'
import { keyOf, ROOT, splitKey, TEMPORARY } from '../format/paths.ts'
import { FolderNames } from './folder-names.ts'
import {
  type FileState,
  hasContent,
  type ListedFile,
  type Opened,
  type Place,
  type ReadFile,
  readUsable,
  type WritablePlace,
} from './place.ts'

/** What a folder of this machine contains under a name. */
export interface FolderEntry {
  name: string
  /** `other`: for example a link, which is not followed. */
  type: 'file' | 'folder' | 'other'
}

/** @param disk performs the writes; tests inject failures through it */
export function folderPlace(dir: string, disk: Disk = realDisk): FolderPlace {
  return new FolderPlace(dir, disk)
}

export const isFolder = (place: Place): place is FolderPlace => place instanceof FolderPlace

/**
 * Tests that a folder can be read and written.
 * @throws ArchiveError `archive_unavailable`, `archive_unwritable`
 */
export async function requireWritable(dir: string): Promise<void> {
  try {
    if (!(await stat(dir)).isDirectory())
      throw new ArchiveError('archive_unavailable', `${dir}: is not a folder`)
  } catch (error) {
    throw asReadError(error, dir)
  }
  try {
    await access(dir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw asWriteError(error, dir)
  }
}

export class FolderPlace implements WritablePlace {
  readonly name: string
  readonly #disk: Disk
  readonly #folders: FolderNames
  readonly #writes = new Queue()

  constructor(dir: string, disk: Disk) {
    this.name = dir
    this.#folders = new FolderNames(dir)
    this.#disk = disk
  }

  pathOf(key: string): string {
    return join(this.name, key)
  }

  nameOf(key: string): string {
    return key
  }

  addressOf(): null {
    return null
  }

  folders(): Promise<readonly string[]> {
    return this.#reading(() => this.#folders.read())
  }

  async listAll(): Promise<Map<string, FileState>> {
    const found = new Map<string, FileState>()
    for (const folder of [ROOT, ...(await this.folders())])
      for (const { name, bytes, version } of await this.list(folder))
        found.set(keyOf(folder, name), { bytes, version })
    return found
  }

  list(folder: string): Promise<ListedFile[]> {
    return this.#reading(async () => {
      const files: ListedFile[] = []
      const names = (await readdir(join(this.name, folder)).catch(nullIfMissing)) ?? []
      for (const name of names.sort()) {
        const stats = await this.#statsOf(folder, name)
        if (stats) files.push({ name, modifiedAt: Number(stats.mtimeMs), ...stateOf(stats) })
      }
      return files
    })
  }

  /** Everything in a folder, by name, whether or not it belongs to the archive. */
  entries(folder: string): Promise<FolderEntry[]> {
    return this.#reading(async () => {
      const reading = readdir(join(this.name, folder), { withFileTypes: true })
      const entries = (await (folder === ROOT ? reading : reading.catch(nullIfMissing))) ?? []
      return entries
        .map((entry) => ({ name: entry.name, type: typeOf(entry) }))
        .sort((a, b) => (a.name < b.name ? -1 : 1))
    })
  }

  stat(key: string): Promise<FileState | null> {
    return this.#reading(async () => {
      const stats = await this.#statsOf(...splitKey(key))
      return stats && stateOf(stats)
    })
  }

  read(key: string, bound = boundOf(key)): Promise<ReadFile | BadFile> {
    return this.#withFile(key, async (stats) => {
      if (stats.size > bound)
        return badFile('too_large', `has ${stats.size} bytes, and may have ${bound}`)
      return { content: await readFile(this.pathOf(key)), version: stateOf(stats).version }
    })
  }

  open(key: string, start: number, end: number): Promise<Opened> {
    return this.#withFile(key, async () => {
      // Opened here and not by the stream: permission to list a folder does not imply permission to read its files.
      const file = await open(this.pathOf(key))
      if (end >= start)
        return Readable.toWeb(file.createReadStream({ start, end })) as ReadableStream<Uint8Array>
      // A stream rejects an empty range, whose end is before its start.
      await file.close()
      return new Blob([]).stream()
    })
  }

  /** Works with a regular file, or returns why it cannot be read. */
  #withFile<T>(key: string, work: (stats: BigIntStats) => Promise<T>): Promise<T | BadFile> {
    const [folder] = splitKey(key)
    return this.#reading(async () => {
      try {
        // A link in place of a day's folder would lead out of the archive (FORMAT.md 2.2).
        if (folder !== ROOT && !(await lstat(this.pathOf(folder))).isDirectory())
          return badFile('not_a_file', `is in ${folder}, which is not a folder`)
        const stats = await lstat(this.pathOf(key), { bigint: true })
        if (!stats.isFile()) return badFile('not_a_file', 'is not a regular file')
        return await work(stats)
      } catch (error) {
        if (isFileDamage(error))
          return badFile('unreadable', `cannot be read (${systemCode(error)})`)
        nullIfMissing(error)
        await this.#demandFolder()
        return badFile('missing', 'is missing')
      }
    })
  }

  put(key: string, content: Uint8Array): Promise<void> {
    return this.#placing(key, () =>
      // All files have the same temporary name.
      this.#writes.run(() => replaceFile(this.#disk, this.name, TEMPORARY, content, key)),
    )
  }

  /** Moves a complete file of the same file system to its key, replacing any existing one. */
  moveIn(path: string, key: string): Promise<void> {
    return this.#placing(key, () => this.#disk.rename(path, this.pathOf(key)))
  }

  async putIfAbsent(key: string, content: Uint8Array): Promise<string | null> {
    return this.replace(key, content, null)
  }

  async replace(key: string, content: Uint8Array, version: string | null): Promise<string | null> {
    const present = await readUsable(this, key)
    if (present && hasContent(present, content)) return present.version
    if (((await this.stat(key))?.version ?? null) !== version) return null
    await this.put(key, content)
    return (await this.stat(key))?.version ?? null
  }

  /** Removes a file, or a folder with its content. */
  async remove(key: string): Promise<void> {
    try {
      await this.#disk.remove(this.pathOf(key))
    } catch (error) {
      throw asWriteError(error, this.name)
    }
  }

  /** Runs work that gives a file its key: before it, its folder exists; after it, the folder is synced. */
  async #placing(key: string, work: () => Promise<void>): Promise<void> {
    const [folder] = splitKey(key)
    const path = join(this.name, folder)
    try {
      if (folder !== ROOT) await this.#makeFolder(folder, path)
      await removeEmptyFolder(this.#disk, this.name, key)
      await work()
      if (folder !== ROOT) await this.#disk.syncFolder(path)
    } catch (error) {
      throw asWriteError(error, this.name)
    }
  }

  /** @throws ArchiveError `conflict` for a link, which would lead out of the archive */
  async #makeFolder(folder: string, path: string): Promise<void> {
    const stats = await lstat(path).catch(nullIfMissing)
    if (stats?.isSymbolicLink())
      throw new ArchiveError('conflict', `${folder} is a link, and nothing is written behind it`)
    if (stats) return
    await this.#disk.makeFolder(path)
    await this.#disk.syncFolder(this.name)
  }

  /**
   * The stats of a regular file in a folder of the archive; null if there is none or the folder is a link. Fails when the
   * archive's folder itself is missing.
   */
  async #statsOf(folder: string, name: string): Promise<BigIntStats | null> {
    const path = join(this.name, folder)
    const isHere = (await lstat(path).catch(nullIfMissing))?.isDirectory()
    const file = join(path, name)
    const stats = isHere ? await lstat(file, { bigint: true }).catch(nullIfMissing) : null
    if (stats?.isFile()) return stats
    await this.#demandFolder()
    return null
  }

  async #demandFolder(): Promise<void> {
    if (!(await stat(this.name)).isDirectory())
      throw new ArchiveError('archive_unavailable', `${this.name}: is not a folder`)
  }

  async #reading<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw asReadError(error, this.name)
    }
  }
}

function typeOf(entry: Dirent): FolderEntry['type'] {
  if (entry.isFile()) return 'file'
  return entry.isDirectory() ? 'folder' : 'other'
}

function stateOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): FileState {
  return { bytes: Number(size), version: `${ino} ${size} ${mtimeNs} ${ctimeNs}` }
}

/**
 * Removes an empty folder that has the name of a file to be written.
 * @param key the file's path relative to `dir`
 * @throws ArchiveError `conflict` when the folder is not empty
 */
async function removeEmptyFolder(disk: Disk, dir: string, key: string): Promise<void> {
  const path = join(dir, key)
  if (!(await lstat(path).catch(nullIfMissing))?.isDirectory()) return
  if ((await readdir(path)).length > 0)
    throw new ArchiveError('conflict', `${key}: is a folder with other files in it`)
  await disk.remove(path)
}
