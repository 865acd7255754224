// What verify asks of a place that has an archive: a folder, an object store, a service, or a server of plain files.
import type { Manifest } from '../format/manifest.ts'
import type { Selection } from '../format/mirror.ts'
import type { FileState } from '../place/place.ts'
import type { Finding, FindingCode } from './findings.ts'

/** Why something could not be had. */
export interface Problem {
  problem: { code: FindingCode; message: string }
}

/** A file as a source gives it: whole, or why not. The type is null where the place states none. */
export type SourceFile = ReadSourceFile | Problem

export interface ReadSourceFile {
  bytes: Uint8Array
  contentType: string | null
  /** As in `FileState`, where a memory may rely on it (FORMAT.md 22.7). */
  version?: string
}

/** What a place states to have. */
export interface Listing {
  days: string[]
  findings: Finding[]
  /** What of an archive it has; a mirror may have less than all. */
  selection: Selection
}

export interface Source {
  /** The folder or base address, for findings. */
  readonly place: string
  /** Whether the files that are derived from the days lie next to them, rather than being made when asked for. */
  readonly holdsDerived: boolean
  /**
   * The days to check, ascending, and what is wrong next to them.
   * @throws ArchiveError `archive_unavailable`
   */
  list(): Promise<Listing>
  /** The name of a day's file in findings. */
  nameOf(day: string, name: string): string
  /** A file of a day, of at most `limit` bytes. */
  read(day: string, name: string, limit: number): Promise<SourceFile>
  /** A file of a day as it is now, where that costs less than the file; null when there is none. */
  stateOf?(day: string, name: string): Promise<FileState | null>
  /** A file of the archive itself, such as `log`. */
  readRoot(name: string, limit: number): Promise<SourceFile>
  /** The name of such a file in findings. */
  rootName(name: string): string
  /** What the place states of a day in addition to its files, compared with the manifest. */
  checkBeside(day: string, manifest: Manifest, bytes: Uint8Array): Promise<Finding[]>
}

export function problem(code: FindingCode, message: string): Problem {
  return { problem: { code, message } }
}
