// The interface through which verify reads an archive: a folder, an object store, a service or a plain file server.
import type { Manifest } from '../format/manifest.ts'
import type { Selection } from '../format/mirror.ts'
import type { FileState } from '../place/place.ts'
import type { Finding, FindingCode } from './findings.ts'

/** Why a file could not be read. */
export interface Problem {
  problem: { code: FindingCode; message: string }
}

/** A whole file, or the reason why it could not be read. */
export type SourceFile = ReadSourceFile | Problem

export interface ReadSourceFile {
  bytes: Uint8Array
  /** Null if the place states none. */
  contentType: string | null
  /** As in `FileState`; only set where a memory may rely on it (FORMAT.md 22.7). */
  version?: string
}

export interface Listing {
  /** Ascending. */
  days: string[]
  /** Faults that concern no single day, such as stray files. */
  findings: Finding[]
  /** The part of the archive that the source has; a mirror may have less than all. */
  selection: Selection
}

export interface Source {
  /** The folder or base address, as named in findings. */
  readonly place: string
  /** Whether the derived files are stored next to the days; a service generates them on request. */
  readonly holdsDerived: boolean
  /**
   * Lists the days to check.
   * @throws ArchiveError `archive_unavailable`
   */
  list(): Promise<Listing>
  /** The name of a day's file in findings. */
  nameOf(day: string, name: string): string
  /** Reads a file of a day, of at most `limit` bytes. */
  read(day: string, name: string, limit: number): Promise<SourceFile>
  /** The size and version of a day's file, or null; only implemented where this is cheaper than reading. */
  stateOf?(day: string, name: string): Promise<FileState | null>
  /** Reads a file in the root, such as `log`. */
  readRoot(name: string, limit: number): Promise<SourceFile>
  /** The name of a file in the root, in findings. */
  rootName(name: string): string
  /** Compares the manifest with what the place states about the day elsewhere: seals, lists, other files. */
  crossCheck(day: string, manifest: Manifest, bytes: Uint8Array): Promise<Finding[]>
}

export function problem(code: FindingCode, message: string): Problem {
  return { problem: { code, message } }
}
