// Where an archive's files are: what every place can read, and what a folder and a bucket can write, too
// (FORMAT.md 22.1).
import { isFileDamage } from '../errors.ts'

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

/** What a folder of this machine contains under a name. */
export interface Entry {
  name: string
  /** `other`: for example a link, which is not followed. */
  type: 'file' | 'folder' | 'other'
}

/**
 * An archive to read. Keys are the names of FORMAT.md 2.1, such as `log` or `2026-11-19/2026-11-19.json`. Every method
 * rejects with ArchiveError `archive_unavailable` when the place is missing or unreachable.
 */
export interface Place {
  /** The folder's path, the bucket's s3:// URL or the server's address, for messages. */
  readonly name: string
  /** Local path of a file, whether or not it exists; null when the place is not local. */
  pathOf(key: string): string | null
  /** A public URL of a file, valid for some minutes; null when the place has none. */
  addressOf(key: string): Promise<string> | null
  /** The names of the folders in the root. */
  folders(): Promise<readonly string[]>
  /** Returns null when there is no such file. */
  stat(key: string): Promise<FileState | null>
  /** A whole file, possibly cut when it exceeds its size limit (FORMAT.md 2.7); null when there is none. */
  get(key: string): Promise<ReadFile | null>
  /**
   * Opens a file for reading the bytes from `start` to `end`, both inclusive.
   * @returns null when there is no such file
   */
  open(key: string, start: number, end: number): Promise<ReadableStream<Uint8Array> | null>

  // What only some places can do (`offers`).

  /** The name of a file in messages, where that is not its key: the path at a server. */
  nameOf?(key: string): string
  /**
   * Reads a whole file, like `get`, where more is known of one that cannot be read.
   * @throws ReadFailure with the reason
   */
  read?(key: string): Promise<ReadFile>
  /**
   * Reads a file in pieces, but no further than `limit` bytes.
   * @param take called with the bytes; again, if another attempt is made
   * @throws ReadFailure with the reason, and whatever `take` throws
   */
  scan?<T>(
    key: string,
    limit: number,
    take: (chunks: AsyncIterable<Uint8Array>) => Promise<T>,
  ): Promise<T>
  /** Opens a file and closes it again: permission to list a folder does not imply permission to read its files. */
  tryToOpen?(key: string): Promise<void>
  /** Everything in a folder of this machine, by name, whether or not it belongs to the archive. */
  entries?(folder: string): Promise<Entry[]>
  /** Every file by key. In a bucket this costs one request for each page of the list. */
  listAll?(): Promise<Map<string, FileState>>
  /**
   * Reads a list in which a service states what its days contain (API.md 9.2).
   * @param url as in paths.ts
   * @throws ReadFailure
   */
  readList?(url: string): Promise<ReadFile>
}

/** Whether a place can do what only some places can. */
export function offers<K extends 'read' | 'scan' | 'entries' | 'listAll' | 'readList'>(
  place: Place,
  capability: K,
): place is Place & Required<Pick<Place, K>> {
  return place[capability] !== undefined
}

/**
 * An archive to write, which can list its files. Writes reject with ArchiveError `storage_full`, `archive_unwritable`,
 * `storage_failed` or `archive_unavailable`.
 */
export interface WritablePlace extends Place {
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

/** Reads a file; null when there is none, or when it is damaged so that it cannot be read. */
export async function readable(place: Pick<Place, 'get'>, key: string): Promise<ReadFile | null> {
  try {
    return await place.get(key)
  } catch (error) {
    if (isFileDamage(error)) return null
    throw error
  }
}

/** Whether a file has these bytes. */
export function hasContent({ content }: ReadFile, bytes: Uint8Array): boolean {
  return Buffer.compare(content, bytes) === 0
}

/** Writes a file unless it has these bytes already. @returns whether it was written */
export async function update(
  place: Pick<WritablePlace, 'get' | 'put'>,
  key: string,
  bytes: Uint8Array,
): Promise<boolean> {
  const present = await place.get(key)
  if (present && hasContent(present, bytes)) return false
  await place.put(key, bytes)
  return true
}

/** Decodes a file's content as UTF-8. */
export function textOf({ content }: ReadFile): string {
  return Buffer.from(content).toString()
}
