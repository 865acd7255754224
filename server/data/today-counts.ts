// Caches the counters of the current day.
import { dayOf, daySpan } from '../../archive/format/calendar.ts'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import { perCounter } from '../../protocol/index.ts'
import type { Queryable } from '../database/database.ts'
import type { Clock } from '../system/system.ts'
import { countDay } from './counts.ts'

/** The current day and its counts so far; null for a counter that could not be read. */
export interface Today {
  day: string
  counters: Snapshot['counters']
}

/** How long the counts are cached [ms], so that their cost does not grow with the number of visitors. */
const CACHE_MS = 10_000

/** Counts the current day, at most once in ten seconds. */
export class TodayCounts {
  readonly #db: Queryable
  readonly #clock: Clock
  #until = Number.NEGATIVE_INFINITY
  #counting: Promise<Today> | undefined

  constructor(db: Queryable, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** @throws when the database cannot be read */
  current(): Promise<Today> {
    const at = this.#clock.now()
    const isFresh = at < this.#until
    if (!this.#counting || !isFresh) {
      const day = dayOf(at)
      this.#until = Math.min(at + CACHE_MS, daySpan(day).to)
      this.#counting = this.#count(day).catch((error) => {
        this.#counting = undefined
        throw error
      })
    }
    return this.#counting
  }

  async #count(day: string): Promise<Today> {
    const { counts } = await countDay(this.#db, daySpan(day))
    return { day, counters: perCounter((name) => counts[name]?.toString() ?? null) }
  }
}
