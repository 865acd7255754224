// The state that the checks of a day's files share.
import type { Decoding } from '../../protocol/receiver/index.ts'
import { isArchiveError } from '../base/errors.ts'
import type { Place } from '../place/place.ts'
import type { Finding, FindingCode } from './findings.ts'
import type { Survey } from './survey.ts'

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

/** Runs a parser; reports the finding and returns null if it rejects the file. */
export function parsed<T>(
  { report }: Check,
  name: string,
  code: 'invalid_manifest' | 'invalid_snapshot',
  parse: () => T,
): T | null {
  try {
    return parse()
  } catch (error) {
    if (!isArchiveError(error, code)) throw error
    report(name, code, error.message)
    return null
  }
}
