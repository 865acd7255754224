// Checks what the days of an archive state together about their messages: once days have leaves, no later day lacks
// them, and ids are consecutive (FORMAT.md 20.1, 24.2 and 24.3). Pure.
import { nextDay } from '../format/calendar.ts'
import { leavesName } from '../format/paths.ts'
import { hasMessages, type Records } from '../format/snapshot.ts'
import type { Link } from './chain.ts'
import type { Finding, FindingCode } from './findings.ts'

/** The ids and leaves of the days so far. */
export class DaySequence {
  /** The first day that has leaves. */
  #firstWithLeaves: string | null = null
  #largest: { id: bigint; day: string } | null = null
  /** The last day with messages. */
  #latest: { id: bigint; day: string } | null = null
  /** The last day. */
  #previous: string | null = null
  /** Whether the records of a day since then are unknown. */
  #hasGap = false

  /**
   * Checks the next day, ascending, and adds it.
   * @param leaves whether the day has leaves; null if that is unknown
   * @param nameOf the name of a file of the day in findings
   */
  check(link: Link, leaves: boolean | null, nameOf: (name: string) => string): Finding[] {
    const { day, snapshot } = link
    if (this.#previous !== null && nextDay(this.#previous) !== day) this.#hasGap = true
    this.#previous = day
    const records = snapshot?.records
    if (!records) this.#hasGap = true
    if (snapshot && !records && this.#firstWithLeaves !== null) return [this.#unstated(link.file)]
    if (!hasMessages(records)) return []
    const missing = leaves === false && this.#firstWithLeaves !== null
    if (leaves) this.#firstWithLeaves ??= day
    return [
      ...(missing ? [this.#missing(nameOf(leavesName(day)))] : []),
      ...this.#checkIds(link, records),
    ]
  }

  #missing(file: string): Finding {
    return { code: 'missing', file, message: `is missing, but ${this.#firstWithLeaves} has leaves` }
  }

  #unstated(file: string): Finding {
    const message = `states no records, but ${this.#firstWithLeaves} has leaves`
    return { code: 'invalid_snapshot', file, message }
  }

  #checkIds({ day, file }: Link, records: Records): Finding[] {
    const [first, last] = [idIn(records.first_message_id), idIn(records.last_message_id)]
    const findings: Finding[] = []
    const report = (code: FindingCode, message: string) => findings.push({ code, file, message })
    const largest = this.#largest
    if (largest && first <= largest.id)
      report('ids_reissued', begins(first, largest.day, largest.id))
    const isBroken = last - first + 1n !== BigInt(records.count)
    if (this.#firstWithLeaves !== null && isBroken)
      report(
        'ids_not_consecutive',
        `has ${records.count} messages with ids from ${first} to ${last}`,
      )
    else if (this.#firstWithLeaves !== null) this.#checkFirst(first, report)
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
