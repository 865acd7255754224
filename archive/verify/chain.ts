// Checks the chain of days (FORMAT.md 10): each names its predecessor and that file's hash. Pure.
import type { Snapshot } from '../format/snapshot.ts'
import type { Finding, FindingCode } from './findings.ts'

/** A day as a link of the chain. */
export interface DayLink {
  day: string
  /** The name of its `<day>.json` in findings. */
  file: string
  /** SHA-256 of `<day>.json`; null if it cannot be read. */
  sha256: string | null
  /** Null if it is damaged, which is reported elsewhere. */
  snapshot: Snapshot | null
}

/**
 * Checks a day against the earlier ones.
 * @param earlier ascending
 * @param first the first day that a mirror selects; earlier days may be missing
 */
export function checkLink(
  link: DayLink,
  earlier: readonly DayLink[],
  first: string | null,
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
  // A note rather than a failure, because no clock proves when the days in between were sealed.
  if (between.length > 0)
    findings.push(finding('filled_in_later', `${names}; ${between.join(', ')} came later`))
  return findings
}
