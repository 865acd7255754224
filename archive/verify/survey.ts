// What the checks know of an archive apart from its files: its days, and what it states about them elsewhere.
import type { Manifest } from '../format/manifest.ts'
import type { FileState } from '../place/place.ts'
import type { Finding } from './findings.ts'

export interface Survey {
  /** Ascending. */
  days: string[]
  /** Faults that concern no single day, such as stray files. */
  findings: Finding[]
  /** The size and version of a file, or null; only where this is cheaper than reading. */
  stateOf?(key: string): Promise<FileState | null>
  /** Compares a manifest with what the archive states about the day elsewhere: lists, other files. */
  crossCheck(day: string, manifest: Manifest, bytes: Uint8Array): Promise<Finding[]>
}
