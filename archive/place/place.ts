// Where an archive's files are: what a folder and an object store can both do (FORMAT.md 22.1).

/** A file as it is now. */
export interface FileState {
  bytes: number
  /** Differs once the file has other content. */
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
}

/**
 * Keys are the names of FORMAT.md 2.1, as in `log` or `2026-11-19/2026-11-19.json`. A read rejects with ArchiveError
 * `archive_unavailable` when the place is missing or cannot be reached; a write with `storage_full`,
 * `archive_unwritable`, `storage_failed` or `archive_unavailable`.
 */
export interface Place {
  /** The folder's path, or the store's address: for people. */
  readonly name: string
  /** Where a file is on this machine, whether or not it exists; null when that is elsewhere. */
  pathOf(key: string): string | null
  /** Where anybody can read a file for some minutes; null where there is no such address. */
  addressOf(key: string): Promise<string> | null
  /** The names of folders in the root. */
  folders(): Promise<readonly string[]>
  /** Every file, by key: a request for some hundreds of them where the place is a store. */
  listAll(): Promise<Map<string, FileState>>
  /** The files directly in a folder, by name; `.` is the root. */
  list(folder: string): Promise<ListedFile[]>
  /** Null when there is no such file. */
  stat(key: string): Promise<FileState | null>
  /** A whole file, of one that is larger than its kind may be its beginning (FORMAT.md 2.7); null when there is none. */
  get(key: string): Promise<ReadFile | null>
  /**
   * The bytes from `start` to `end`, both included.
   * @returns once the file is open; null when there is none
   */
  open(key: string, start: number, end: number): Promise<ReadableStream<Uint8Array> | null>
  /** Writes a file, whole or not at all, and replaces what was there. */
  put(key: string, content: Uint8Array): Promise<void>
  /** @returns the version of the file with this content; null, and nothing written, when it has other content */
  putIfAbsent(key: string, content: Uint8Array): Promise<string | null>
  /**
   * Replaces a file that is still as it was read.
   * @param version null: there was none
   * @returns its version now; null, and nothing written, when it has changed to other content
   */
  replace(key: string, content: Uint8Array, version: string | null): Promise<string | null>
  /** Nothing there is fine. */
  remove(key: string): Promise<void>
}

/** The archive's own folder, for `list`. */
export const ROOT = '.'

/** A file's content as text. */
export function textOf({ content }: ReadFile): string {
  return Buffer.from(content).toString()
}
