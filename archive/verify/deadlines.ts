// Notes the days that missed the deadline of their leaf, from the first day on that has leaves of messages
// (FORMAT.md 25.3). Pure.

import type { Leaf } from '../log/days.ts'
import { type Breach, breachesIn } from '../log/deadline.ts'
import type { Link } from './chain.ts'
import type { Finding } from './findings.ts'

export class Deadlines {
  readonly #breaches: readonly Breach[]
  readonly #logged: ReadonlyMap<string, unknown>
  /** The first day that has leaves of messages. */
  #first: string | null = null

  /** @param logged the signed leaves of each day; null if there is no log that can be read */
  constructor(logged: ReadonlyMap<string, readonly Leaf[]> | null) {
    this.#logged = logged ?? new Map()
    const entries = [...(logged?.values() ?? [])].flat().sort((a, b) => a.index - b.index)
    this.#breaches = breachesIn(entries)
  }

  /** Checks the next day, ascending. @param hasLeaves whether the day has leaves of messages */
  check({ day, file }: Link, hasLeaves: boolean | null): Finding[] {
    if (!hasLeaves) return []
    this.#first ??= day
    const breach = this.#breaches.find((other) => other.day === day)
    return breach ? [overdue(file, `has its leaf after that of ${breach.shownBy}`)] : []
  }

  /** The findings on days that have no leaf in the log. Called after the last day. */
  ofAbsentDays(nameOf: (day: string) => string): Finding[] {
    const from = this.#first
    if (from === null) return []
    return this.#breaches
      .filter(({ day }) => day > from && !this.#logged.has(day))
      .map(({ day, shownBy }) => overdue(nameOf(day), `has no leaf, although ${shownBy} has one`))
  }
}

function overdue(file: string, message: string): Finding {
  return { code: 'overdue', file, message }
}
