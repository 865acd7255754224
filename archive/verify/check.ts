// One day under check: what the checks of its files share.
import type { Decoding } from '../../protocol/index.ts'
import { ArchiveError } from '../errors.ts'
import type { StoreMemory } from '../place/memory.ts'
import type { Finding, FindingCode } from './findings.ts'
import type { Source } from './source.ts'

/** What a WAV file carries, decoded here or by another thread. */
export type Decode = (wav: Uint8Array) => Decoding | Promise<Decoding>

/** One day under check: what was found so far, and how to add to it. */
export interface Check {
  day: string
  source: Source
  decode: Decode
  /** Media that were proven before. */
  memory: StoreMemory | undefined
  findings: Finding[]
  report(name: string, code: FindingCode, message: string): void
}

/** What a file holds; null when its bytes are refused, which is reported. */
export function parsed<T>(
  { report }: Check,
  name: string,
  code: 'invalid_manifest' | 'invalid_snapshot',
  parse: () => T,
): T | null {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof ArchiveError) || error.code !== code) throw error
    report(name, code, error.message)
    return null
  }
}
