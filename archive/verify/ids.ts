// Notes days that give ids of messages again, as after the restore of an older database (FORMAT.md 20.1). Pure.
import type { Link } from './chain.ts'
import type { Finding } from './findings.ts'

/** The ids of the days so far. */
export class GivenIds {
  #last = 0n
  #day = ''

  /** Checks the next day, and adds its ids. @param link ascending by day */
  check({ day, file, snapshot }: Link): Finding[] {
    const { first_message_id: first, last_message_id: last } = snapshot?.records ?? {}
    if (!first || !last) return []
    const message = `begins with message ${first}; ${this.#day} ends with message ${this.#last}`
    const isAgain = BigInt(first) <= this.#last
    if (BigInt(last) > this.#last) {
      this.#last = BigInt(last)
      this.#day = day
    }
    return isAgain ? [{ code: 'ids_reissued', file, message }] : []
  }
}
