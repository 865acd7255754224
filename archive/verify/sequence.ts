// Checks what the days of an archive state together about their messages: ids are consecutive (FORMAT.md 20.1, 24.3). Pure.
import { nextDay } from '../format/calendar.ts'
import { hasMessages, type SealedRecords } from '../format/snapshot.ts'
import type { DayLink } from './chain.ts'
import type { Finding, FindingCode } from './findings.ts'

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
