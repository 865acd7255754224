// The chain (FORMAT.md 10): each day names its predecessor and the hash of its bytes. Pure.
import type { Snapshot } from '../format/snapshot.ts'
import type { Finding, FindingCode } from './findings.ts'

/** What a day contributes to the chain. */
export interface Link {
  day: string
  /** The name of its `<day>.json` in findings. */
  file: string
  /** Of the bytes of `<day>.json`; null when they cannot be read. */
  sha256: string | null
  /** Null when it is damaged, which is reported elsewhere. */
  snapshot: Snapshot | null
}

/**
 * Checks the last of some days against the earlier ones.
 * @param earlier ascending
 * @param first the first day that a mirror selects; days before it need not be there
 */
export function checkLink(
  link: Link,
  earlier: readonly Link[],
  first: string | null = null,
): Finding[] {
  if (!link.snapshot) return []
  const { previous } = link.snapshot
  const finding = (code: FindingCode, message: string) => ({ code, file: link.file, message })
  const index = previous ? earlier.findLastIndex((other) => other.day === previous.day) : -1
  const named = earlier[index]
  if (previous && !named && first !== null && previous.day < first) return []
  if (previous && !named)
    return [finding('previous_missing', `names ${previous.day} as previous, which is not archived`)]
  const findings: Finding[] = []
  if (named?.sha256 && named.sha256 !== previous?.sha256)
    findings.push(
      finding('previous_hash', `names another hash of ${named.day} than ${named.file} has`),
    )
  const between = earlier.slice(index + 1).map((other) => other.day)
  const names = previous ? `names ${previous.day} as previous` : 'names no day as previous'
  // No clock can prove when the days between were made: it may have been wrong.
  if (between.length > 0)
    findings.push(finding('filled_in_later', `${names}; ${between.join(', ')} came later`))
  return findings
}
