// Checks what the days of an archive state about each other. Pure.
//
// Each day names its predecessor and that file's hash (FORMAT.md 10), ids are consecutive (FORMAT.md 18.1, 22.3), and a day
// has its leaf by its deadline (FORMAT.md 23.3).
import { nextDay } from '../format/calendar.ts'
import { hasMessages, type SealedRecords, type Snapshot } from '../format/snapshot.ts'
import type { Breach } from '../log/deadline.ts'
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

/** Notes that an archived day has its leaf after the deadline (FORMAT.md 23.3). @param breaches those that the log shows */
export function checkDeadline(
  { day, file, snapshot }: DayLink,
  breaches: readonly Breach[],
): Finding[] {
  const breach = breaches.find((other) => other.day === day)
  if (!breach || !snapshot || !hasMessages(snapshot.records)) return []
  return [overdue(file, `has its leaf after that of ${breach.shownBy}`)]
}

/** Notes the days that have no leaf in the log, and missed their deadline. @param nameOf returns a day's file */
export function checkAbsentDays(
  logged: ReadonlyMap<string, unknown>,
  breaches: readonly Breach[],
  nameOf: (day: string) => string,
): Finding[] {
  return breaches
    .filter(({ day }) => !logged.has(day))
    .map(({ day, shownBy }) => overdue(nameOf(day), `has no leaf, although ${shownBy} has one`))
}

function overdue(file: string, message: string): Finding {
  return { code: 'overdue', file, message }
}

/** The ids of the days so far. */
export class DaySequence {
  #largest: { id: bigint; day: string } | null = null
  /** The last day with messages. */
  #latest: { id: bigint; day: string } | null = null
  /** The last day. */
  #previous: string | null = null
  /** Whether the records of a day since then are unknown. */
  #hasGap = false

  /** Checks the next day, ascending, and adds it. */
  check(link: DayLink): Finding[] {
    const { day, snapshot } = link
    if (this.#previous !== null && nextDay(this.#previous) !== day) this.#hasGap = true
    this.#previous = day
    if (!snapshot) this.#hasGap = true
    return snapshot && hasMessages(snapshot.records) ? this.#checkIds(link, snapshot.records) : []
  }

  #checkIds({ day, file }: DayLink, records: SealedRecords): Finding[] {
    const [first, last] = [idIn(records.first_message_id), idIn(records.last_message_id)]
    const findings: Finding[] = []
    const report = (code: FindingCode, message: string) => findings.push({ code, file, message })
    const largest = this.#largest
    if (largest && first <= largest.id)
      report('ids_reissued', begins(first, largest.day, largest.id))
    if (last - first + 1n !== BigInt(records.count))
      report(
        'ids_not_consecutive',
        `has ${records.count} messages with ids from ${first} to ${last}`,
      )
    else this.#checkFirst(first, report)
    if (!largest || last > largest.id) this.#largest = { id: last, day }
    this.#latest = { id: last, day }
    this.#hasGap = false
    return findings
  }

  #checkFirst(first: bigint, report: (code: FindingCode, message: string) => void): void {
    const latest = this.#latest
    if (!latest || first === latest.id + 1n) return
    const message = begins(first, latest.day, latest.id)
    if (first > latest.id && this.#hasGap)
      report('ids_not_checked', `${message}; the records of a day between them are not known`)
    else report('ids_not_consecutive', message)
  }
}

/** @param id that of a day with messages */
function idIn(id: string | null): bigint {
  return BigInt(id ?? 0)
}

function begins(first: bigint, day: string, last: bigint): string {
  return `begins with message ${first}; ${day} ends with message ${last}`
}
