// The state that the checks of an archive and of a day's files share.
import type { Decoding } from '../../protocol/receiver/index.ts'
import { type ArchiveError, orElse } from '../base/errors.ts'
import type { Manifest } from '../format/manifest.ts'
import { keyOf } from '../format/paths.ts'
import type { FileState, Place, ReadFile } from '../place/place.ts'
import type { Finding, FindingCode } from './findings.ts'

/** What the checks know of an archive apart from its files: its days, and what it states about them elsewhere. */
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

/** Decodes a WAV file, here or in another thread. */
export type Decode = (wav: Uint8Array) => Decoding | Promise<Decoding>

/** A day being checked, and its findings so far. */
export interface Check {
  day: string
  place: Place
  survey: Survey
  decode: Decode
  findings: Finding[]
  /** Adds a finding about a file of the day. */
  report(name: string, code: FindingCode, message: string): void
}

/** Reads a file of the day; reports why it cannot be used, and returns null. */
export async function readNamed(
  { day, place, report }: Check,
  name: string,
): Promise<ReadFile | null> {
  const file = await place.read(keyOf(day, name))
  if (!('problem' in file)) return file
  report(name, file.problem.code, file.problem.message)
  return null
}

/** Runs a parser; reports the finding and returns null if it rejects the file. */
export function parsed<T>(
  { report }: Check,
  name: string,
  code: 'invalid_manifest' | 'invalid_snapshot',
  parse: () => T,
): T | null {
  const reject = ({ message }: ArchiveError) => {
    report(name, code, message)
    return null
  }
  return orElse(parse, reject, code)
}
