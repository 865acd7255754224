// Where an archive's files are (FORMAT.md 20.1): what every place can read, and what a folder and a bucket can write, too.
import { ArchiveError, type ArchiveErrorCode, type BadFile } from '../base/errors.ts'

/** The current size and version of a file. */
export interface FileState {
  bytes: number
  /** An opaque value that changes whenever the content does. */
  version: string
}

export interface ListedFile extends FileState {
  name: string
  /** When it was last written [ms since 1970]. */
  modifiedAt: number
}

export interface ReadFile {
  content: Uint8Array
  version: string
  /** As a service states it; a plain file server only guesses one. */
  contentType?: string
}

/** The bytes of a file that was opened, or what is wrong with it. */
export type Opened = ReadableStream<Uint8Array> | BadFile

/**
 * An archive to read. Keys are the names of FORMAT.md 2.1, such as `log` or `2026-11-19/2026-11-19.json`. Every method
 * rejects with ArchiveError `archive_unavailable` when the place is missing or unreachable, but for those that return
 * what is wrong with a file.
 */
export interface Place {
  /** The folder's path, the bucket's s3:// URL or the server's address, for messages. */
  readonly name: string
  /** The name of a file in messages: its key, or the path at a server. */
  nameOf(key: string): string
  /** Local path of a file, whether or not it exists; null when the place is not local. */
  pathOf(key: string): string | null
  /** A public URL of a file, valid for some minutes; null when the place has none. */
  addressOf(key: string): Promise<string> | null
  /** The names of the folders in the root. */
  folders(): Promise<readonly string[]>
  /** Returns null when there is no such file. */
  stat(key: string): Promise<FileState | null>
  /**
   * Reads a whole file, or says what is wrong with it: it is `missing`, is a link or a folder (`not_a_file`), is
   * `too_large` or `unreadable`, or a server does not give it (`unreachable`, `http_status`).
   * @param bound the size that it may have [bytes]; by default that of FORMAT.md 2.7
   */
  read(key: string, bound?: number): Promise<ReadFile | BadFile>
  /** Opens a file like `read`, for reading the bytes from `start` to `end`, both inclusive. */
  open(key: string, start: number, end: number): Promise<Opened>
}

/**
 * An archive to write, which can list its files. Writes reject with ArchiveError `storage_full`, `archive_unwritable`,
 * `storage_failed` or `archive_unavailable`.
 */
export interface WritablePlace extends Place {
  /** Every file by key. In a bucket this costs one request for each page of the list. */
  listAll(): Promise<Map<string, FileState>>
  /** The files directly in a folder, by name; `ROOT` is the root. */
  list(folder: string): Promise<ListedFile[]>
  /** Writes a file atomically, replacing any existing one. */
  put(key: string, content: Uint8Array): Promise<void>
  /**
   * Writes a file unless it exists.
   * @returns the version of the file that has this content; null when one with other content exists
   */
  putIfAbsent(key: string, content: Uint8Array): Promise<string | null>
  /**
   * Replaces a file if it still has the version that was read (compare and swap).
   * @param version null when there was no file
   * @returns the version of the file that has this content; null when it has changed to other content
   */
  replace(key: string, content: Uint8Array, version: string | null): Promise<string | null>
  /** Removes a file. A missing one is not an error. */
  remove(key: string): Promise<void>
}

/** Whether a place can list its files. */
export const isWritable = (place: Place): place is WritablePlace => 'listAll' in place

/** What reads need of a place. */
export type ReadablePlace = Pick<Place, 'name' | 'nameOf' | 'read'>

/**
 * Reads a file that need not exist; null if it does not, or if a link or a folder has its name.
 * @throws ArchiveError with this code if the file is damaged; `archive_unavailable` if the place does not give it
 */
export async function readExisting(
  place: ReadablePlace,
  key: string,
  code: ArchiveErrorCode,
): Promise<ReadFile | null> {
  const file = await place.read(key)
  if (!('problem' in file)) return file
  if (file.problem.code === 'missing' || file.problem.code === 'not_a_file') return null
  throw errorOf(place, key, file, code)
}

/** Reads a file that may be written again; null if there is none that can be used. @throws ArchiveError `archive_unavailable` */
export async function readUsable(place: ReadablePlace, key: string): Promise<ReadFile | null> {
  const file = await place.read(key)
  if (!('problem' in file)) return file
  if (isOutage(file)) throw errorOf(place, key, file, 'archive_unavailable')
  return null
}

/** Whether a server did not give a file, which says nothing about the file. */
export function isOutage({ problem }: BadFile): boolean {
  return problem.code === 'unreachable' || problem.code === 'http_status'
}

/** The error for a file that cannot be used. @param code of an error about the file, rather than its server */
export function errorOf(
  place: Pick<Place, 'name' | 'nameOf'>,
  key: string,
  file: BadFile,
  code: ArchiveErrorCode,
): ArchiveError {
  const { message } = file.problem
  const options = { cause: file.problem }
  if (!isOutage(file)) return new ArchiveError(code, `${key}: ${message}`, options)
  const address = `${place.name}/${place.nameOf(key).replace(/^\//, '')}`
  return new ArchiveError('archive_unavailable', `${address}: ${message}`, options)
}

export function hasContent({ content }: ReadFile, bytes: Uint8Array): boolean {
  return Buffer.compare(content, bytes) === 0
}

/** Writes a file unless it has these bytes already. @returns whether it was written */
export async function update(
  place: ReadablePlace & Pick<WritablePlace, 'put'>,
  key: string,
  bytes: Uint8Array,
): Promise<boolean> {
  const present = await readUsable(place, key)
  if (present && hasContent(present, bytes)) return false
  await place.put(key, bytes)
  return true
}

/** Decodes a file's content as UTF-8. */
export function textOf({ content }: ReadFile): string {
  return Buffer.from(content).toString()
}
