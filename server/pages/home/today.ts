// Caches data of the front page: the counters of the current day, and the snapshots of the newest days.
import type { Manifest } from '../../../archive/format/manifest.ts'
import { dayOf, daySpan } from '../../../archive/format/paths.ts'
import type { Snapshot } from '../../../archive/format/snapshot.ts'
import { perCounter } from '../../../protocol/index.ts'
import type { Queryable } from '../../database/database.ts'
import { countDay } from '../../database/records/day-counts.ts'
import type { Clock } from '../../system.ts'
import { type ListDeps, readableDays } from '../../transmissions/listing.ts'

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

/** Caches the snapshots of the newest days. They never change, so they are read again only when a new day appears. */
export class NewestDays {
  readonly #deps: ListDeps
  #names = ''
  #days: readonly Snapshot[] = []

  constructor(deps: ListDeps) {
    this.#deps = deps
  }

  /**
   * @param names archived days, ascending
   * @returns the snapshots of the undamaged days, and the manifest of the newest of these; null if there is none
   */
  async read(
    names: readonly string[],
  ): Promise<{ newest: Manifest | null; days: readonly Snapshot[] }> {
    const last = await readableDays(this.#deps, names.slice(-1))
    if (last[0] && this.#names === names.join()) return { newest: last[0], days: this.#days }
    const readable = [...(await readableDays(this.#deps, names.slice(0, -1))), ...last]
    // Not cached while a day is damaged, because it may be repaired.
    this.#names = readable.length === names.length ? names.join() : ''
    this.#days = readable.map(({ snapshot }) => snapshot)
    return { newest: readable.at(-1) ?? null, days: this.#days }
  }
}
