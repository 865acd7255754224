// Notes days that give ids of messages again, as after the restore of an older database (FORMAT.md 20.1). Pure.
import type { Link } from './chain.ts'
import type { Finding } from './findings.ts'

/** The ids of the days so far. */
export class GivenIds {
  #largest: { id: bigint; day: string } | null = null

  /** Checks the next day, and adds its ids. @param link ascending by day */
  check({ day, file, snapshot }: Link): Finding[] {
    const { first_message_id: first, last_message_id: last } = snapshot?.records ?? {}
    if (!first || !last) return []
    const earlier = this.#largest
    if (!earlier || BigInt(last) > earlier.id) this.#largest = { id: BigInt(last), day }
    if (!earlier || BigInt(first) > earlier.id) return []
    const message = `begins with message ${first}; ${earlier.day} ends with message ${earlier.id}`
    return [{ code: 'ids_reissued', file, message }]
  }
}
