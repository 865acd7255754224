// What the front page shows next to the records: the counters of the day that runs, and the days before it.
import type { Manifest } from '../../archive/format/manifest.ts'
import { dayOf, daySpan } from '../../archive/format/paths.ts'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import { perCounter } from '../../protocol/index.ts'
import type { Queryable } from '../store/database.ts'
import { countDay } from '../store/day-counts.ts'
import { type ListDeps, readableDays } from '../transmissions/listing.ts'

/** The day that runs, and what was counted of it so far; null for a counter that could not be read. */
export interface Today {
  day: string
  counters: Snapshot['counters']
}

/** For so long a count is shown [ms]: it takes one look at every index, however many visitors there are. */
const SHOWN_MS = 10_000

/** Counts the day that runs, at most once in ten seconds. */
export class TodayCounts {
  readonly #db: Queryable
  readonly #now: () => number
  #until = Number.NEGATIVE_INFINITY
  #counting: Promise<Today> | undefined

  constructor(db: Queryable, now: () => number) {
    this.#db = db
    this.#now = now
  }

  /** @throws when the database cannot be asked now */
  current(): Promise<Today> {
    const at = this.#now()
    const isOfToday = at < this.#until
    if (!this.#counting || !isOfToday) {
      const day = dayOf(at)
      this.#until = Math.min(at + SHOWN_MS, daySpan(day).to)
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

/** The snapshots of the newest days, which never change: read again only when a day is new. */
export class NewestDays {
  readonly #deps: ListDeps
  #names = ''
  #days: readonly Snapshot[] = []

  constructor(deps: ListDeps) {
    this.#deps = deps
  }

  /**
   * @param names archived days, ascending
   * @returns those that are not damaged, and the manifest of the newest of them; null where there is none
   */
  async read(
    names: readonly string[],
  ): Promise<{ newest: Manifest | null; days: readonly Snapshot[] }> {
    const last = await readableDays(this.#deps, names.slice(-1))
    if (last[0] && this.#names === names.join()) return { newest: last[0], days: this.#days }
    const readable = [...(await readableDays(this.#deps, names.slice(0, -1))), ...last]
    // A damaged day may be repaired.
    this.#names = readable.length === names.length ? names.join() : ''
    this.#days = readable.map(({ snapshot }) => snapshot)
    return { newest: readable.at(-1) ?? null, days: this.#days }
  }
}
