// Notes the days that missed the deadline of their leaf (FORMAT.md 25.3). Pure.
import { hasMessages } from '../format/snapshot.ts'
import type { Leaf } from '../log/days.ts'
import { type Breach, breachesIn } from '../log/deadline.ts'
import type { DayLink } from './chain.ts'
import type { Finding } from './findings.ts'

export class Deadlines {
  readonly #breaches: readonly Breach[]
  readonly #logged: ReadonlyMap<string, unknown>

  /** @param logged the signed leaves of each day; null if there is no log that can be read */
  constructor(logged: ReadonlyMap<string, readonly Leaf[]> | null) {
    this.#logged = logged ?? new Map()
    const entries = [...(logged?.values() ?? [])].flat().sort((a, b) => a.index - b.index)
    this.#breaches = breachesIn(entries)
  }

  /** Checks a day that is archived. */
  check({ day, file, snapshot }: DayLink): Finding[] {
    if (!snapshot || !hasMessages(snapshot.records)) return []
    const breach = this.#breaches.find((other) => other.day === day)
    return breach ? [overdue(file, `has its leaf after that of ${breach.shownBy}`)] : []
  }

  /** The findings on days that have no leaf in the log. */
  ofAbsentDays(nameOf: (day: string) => string): Finding[] {
    return this.#breaches
      .filter(({ day }) => !this.#logged.has(day))
      .map(({ day, shownBy }) => overdue(nameOf(day), `has no leaf, although ${shownBy} has one`))
  }
}

function overdue(file: string, message: string): Finding {
  return { code: 'overdue', file, message }
}
