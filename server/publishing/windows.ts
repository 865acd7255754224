// The windows of the rate limits, counted in the database (API.md 6.1).
import { sql, type Transaction } from 'kysely'
import { compiledForEach, compiledUpsert } from '../store/compiled.ts'
import type { Schema } from '../store/schema.ts'
import {
  type Fields,
  LIMITS,
  type LimitName,
  type Publication,
  type Quotas,
  rateLimited,
  rateLimitFields,
  type Standing,
} from './limits.ts'
import type { OriginCounts } from './origin-counts.ts'

/** Stands for an origin where all of them are counted together. */
const OF_ALL = ''

/** A window of a limit, with what its origins had published before a batch, and what they publish in it. */
interface Window {
  name: LimitName
  ends_at: number
  before: ReadonlyMap<string, number>
  added: Map<string, number>
}

/** The windows that the publications of a batch fall in, counted in memory and saved at once. */
export class Windows {
  readonly #quotas: Quotas
  readonly #now: number
  readonly #origins: OriginCounts
  readonly #windows: ReadonlyMap<LimitName, Window>

  private constructor(quotas: Quotas, now: number, origins: OriginCounts, windows: Window[]) {
    this.#quotas = quotas
    this.#now = now
    this.#origins = origins
    this.#windows = new Map(windows.map((window) => [window.name, window]))
  }

  /**
   * @param now ms since 1970
   * @param origins kept between batches
   */
  static async read(
    tx: Transaction<Schema>,
    publications: readonly Publication[],
    quotas: Quotas,
    now: number,
    origins: OriginCounts,
  ): Promise<Windows> {
    const named = new Set(publications.flatMap(({ limits }) => limits))
    const keys = [...named].filter((name) => quotas[name] > 0).map((name) => windowOf(name, now))
    const rows = await findWindows(
      tx,
      keys.filter(({ name }) => !LIMITS[name].perOrigin),
    )
    const counts = new Map(
      rows.map(({ name, count }) => [name, new Map([[OF_ALL, Number(count)]])]),
    )
    const windows: Window[] = []
    for (const key of keys) {
      const before = LIMITS[key.name].perOrigin
        ? await origins.read(tx, key)
        : (counts.get(key.name) ?? new Map())
      windows.push({ ...key, before, added: new Map() })
    }
    return new Windows(quotas, now, origins, windows)
  }

  /**
   * Asks whether every window that a publication falls in has room for it.
   * @returns the RateLimit fields of its answer, with itself counted
   * @throws Problem rate_limited, with Retry-After to the end of the latest window that is full
   */
  check(publication: Publication): Fields {
    const standings = this.#of(publication).map((window) => this.#standing(window, publication))
    const full = standings.filter((standing) => standing.remaining < 0)
    if (full.length > 0) throw rateLimited(full, standings)
    return rateLimitFields(standings)
  }

  /** Counts a publication in each of its windows. */
  count(publication: Publication): void {
    for (const { name, added } of this.#of(publication)) {
      const counter = counterOf(name, publication)
      added.set(counter, (added.get(counter) ?? 0) + 1)
    }
  }

  #of({ limits }: Publication): Window[] {
    return limits.flatMap((name) => this.#windows.get(name) ?? [])
  }

  #standing({ name, ends_at, before, added }: Window, publication: Publication): Standing {
    const counter = counterOf(name, publication)
    const count = (before.get(counter) ?? 0) + (added.get(counter) ?? 0) + 1
    return {
      name,
      quota: this.#quotas[name],
      remaining: this.#quotas[name] - count,
      resets: Math.max(1, Math.ceil((ends_at - this.#now) / 1000)),
    }
  }

  async write(tx: Transaction<Schema>): Promise<void> {
    const { own = [], shared = [] } = Object.groupBy(
      [...this.#windows.values()].filter(({ added }) => added.size > 0),
      ({ name }) => (LIMITS[name].perOrigin ? 'own' : 'shared'),
    )
    for (const { name, ends_at, added } of own)
      await this.#origins.write(tx, { name, ends_at }, [...added])
    const rows = shared.map(({ name, ends_at, before, added }) => {
      const count = (before.get(OF_ALL) ?? 0) + (added.get(OF_ALL) ?? 0)
      return { ends_at, name, origin: OF_ALL, count }
    })
    await saveWindows(tx, rows)
  }
}

function windowOf(name: LimitName, now: number): { name: LimitName; ends_at: number } {
  const { window } = LIMITS[name]
  return { name, ends_at: (Math.floor(now / window) + 1) * window }
}

/** By what a window counts a publication: by its origin, or with all others. */
const counterOf = (name: LimitName, { origin }: Publication): string =>
  LIMITS[name].perOrigin ? origin : OF_ALL

const findWindows = compiledForEach((db, items: readonly { name: string; ends_at: number }[]) =>
  db
    .selectFrom('rate_windows')
    .select(['name', 'count'])
    .where('origin', '=', OF_ALL)
    .where(
      sql<boolean>`(ends_at, name) in (values ${sql.join(
        items.map(({ name, ends_at }) => sql`(cast(${ends_at} as bigint), ${name})`),
      )})`,
    ),
)

const saveWindows = compiledUpsert('rate_windows')
