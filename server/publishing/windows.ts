// Counts publications in the windows of the rate limits and stores the counts in the database (API.md 6.1).
import { sql, type Transaction } from 'kysely'
import { compiledForEach, compiledUpsert } from '../database/compiled.ts'
import type { Schema } from '../database/schema/schema.ts'
import {
  type Fields,
  LIMITS,
  type LimitName,
  type Publication,
  type Quotas,
  rateLimited,
  rateLimitFields,
  type WindowState,
} from './limits.ts'

/** The origin in a window that counts all origins together. */
const ALL_ORIGINS = ''

/** The current window of a limit, for one origin or all of them. */
interface Window {
  name: LimitName
  origin: string
  /** [ms since 1970] */
  ends_at: number
  /** Publications, with those of this batch. */
  count: number
  /** Whether this batch has added to the count. */
  isChanged: boolean
}

/** The current windows that the publications of a batch count in. */
export class Windows {
  readonly #quotas: Quotas
  readonly #now: number
  readonly #windows: ReadonlyMap<string, Window>

  private constructor(quotas: Quotas, now: number, windows: ReadonlyMap<string, Window>) {
    this.#quotas = quotas
    this.#now = now
    this.#windows = windows
  }

  /**
   * Reads the windows in a transaction that holds the write lock, so that no process counts in them meanwhile.
   * @param now [ms since 1970]
   */
  static async read(
    tx: Transaction<Schema>,
    publications: readonly Publication[],
    quotas: Quotas,
    now: number,
  ): Promise<Windows> {
    const windows = new Map<string, Window>()
    for (const { limits, origin } of publications)
      for (const name of limits) {
        const window = windowOf(name, origin, now)
        if (quotas[name] > 0) windows.set(keyOf(window), window)
      }
    for (const row of await findWindows(tx, [...windows.values()])) {
      const window = windows.get(keyOf(row))
      if (window) window.count = Number(row.count)
    }
    return new Windows(quotas, now, windows)
  }

  /**
   * Checks that a publication exceeds none of its limits.
   * @returns the RateLimit fields of its response, which count the publication itself
   * @throws Problem rate_limited
   */
  check(publication: Publication): Fields {
    const states = this.#windowsOf(publication).map((window) => this.#stateOf(window))
    const full = states.filter(({ remaining }) => remaining < 0)
    if (full.length > 0) throw rateLimited(full, states)
    return rateLimitFields(states)
  }

  /** Counts a publication in each of its windows. */
  count(publication: Publication): void {
    for (const window of this.#windowsOf(publication)) {
      window.count += 1
      window.isChanged = true
    }
  }

  #windowsOf({ limits, origin }: Publication): Window[] {
    return limits.flatMap(
      (name) => this.#windows.get(keyOf({ name, origin: originIn(name, origin) })) ?? [],
    )
  }

  #stateOf({ name, ends_at, count }: Window): WindowState {
    return {
      name,
      quota: this.#quotas[name],
      remaining: this.#quotas[name] - count - 1,
      resets: Math.max(1, Math.ceil((ends_at - this.#now) / 1000)),
    }
  }

  async write(tx: Transaction<Schema>): Promise<void> {
    const changed = [...this.#windows.values()].filter(({ isChanged }) => isChanged)
    await saveWindows(tx, changed)
  }
}

function windowOf(name: LimitName, origin: string, now: number): Window {
  const { window } = LIMITS[name]
  const ends_at = (Math.floor(now / window) + 1) * window
  return { name, origin: originIn(name, origin), ends_at, count: 0, isChanged: false }
}

/** Returns the origin under which a limit counts the publications of an origin. */
const originIn = (name: LimitName, origin: string): string =>
  LIMITS[name].perOrigin ? origin : ALL_ORIGINS

/** Tells apart the windows of one moment. */
const keyOf = ({ name, origin }: { name: string; origin: string }): string => `${name} ${origin}`

const findWindows = compiledForEach((db, windows: readonly Window[]) =>
  db
    .selectFrom('rate_windows')
    .select(['name', 'origin', 'count'])
    .where(
      sql<boolean>`(ends_at, name, origin) in (values ${sql.join(
        windows.map(
          ({ ends_at, name, origin }) => sql`(cast(${ends_at} as bigint), ${name}, ${origin})`,
        ),
      )})`,
    ),
)

const saveWindows = compiledUpsert('rate_windows')
