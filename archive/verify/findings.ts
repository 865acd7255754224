// What verify says, as data, and the source that it asks.
import type { concludeDay, decodeWav } from '../../protocol/index.ts'
import type { Manifest } from '../format/manifest.ts'

/** Something worth saying about a file: a stable code, the file's name, one sentence. */
export interface Finding {
  code: string
  file: string
  message: string
}

/** Findings that are said without failing. */
const NOTES: ReadonlySet<string> = new Set([
  /** A day names an earlier predecessor than the one before it, as when that was filled in later. */
  'filled_in_later',
  /** A run is under way, or was killed: the next one completes it or clears it away. */
  'staging_left',
])

export function isNote(finding: Finding): boolean {
  return NOTES.has(finding.code)
}

export interface DayReport {
  day: string
  ok: boolean
  findings: Finding[]
}

export interface Report {
  ok: boolean
  /** Ascending. */
  days: DayReport[]
  /** Of the archive as a whole. */
  findings: Finding[]
}

/** What verify needs of the protocol; handed in, since the archive's format knows only its types. */
export interface Protocol {
  decodeWav: typeof decodeWav
  concludeDay: typeof concludeDay
}

/** A file as a source gives it: whole, or why not. */
export type SourceFile =
  | { bytes: Uint8Array; contentType: string | null }
  | { problem: { code: string; message: string } }

/** A place that an archive is read from: a folder, or a service over HTTP. */
export interface Source {
  /**
   * The days to check, ascending, and what is wrong beside them.
   * @throws ArchiveError `archive_unavailable`
   */
  list(): Promise<{ days: string[]; findings: Finding[] }>
  /** The name of a day's file in findings. */
  nameOf(day: string, name: string): string
  /** A file of a day, of at most `limit` bytes. */
  read(day: string, name: string, limit: number): Promise<SourceFile>
  /** What the source says of a day beside its files, compared with the manifest. */
  checkBeside(day: string, manifest: Manifest, bytes: Uint8Array): Promise<Finding[]>
}
