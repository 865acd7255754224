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
import type { OriginCounts } from './origin-counts.ts'

/** The counter of a limit that counts all origins together. */
const ALL_ORIGINS = ''

/** A window of a limit. */
interface Window {
  name: LimitName
  /** [ms since 1970] */
  ends_at: number
  /** Publications before this batch, by origin or ALL_ORIGINS. */
  before: ReadonlyMap<string, number>
  /** Publications of this batch, likewise. */
  added: Map<string, number>
}

/** The current windows of the limits that apply to a batch. */
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
   * @param now [ms since 1970]
   * @param origins the counts per origin, which outlive the batch
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
      rows.map(({ name, count }) => [name, new Map([[ALL_ORIGINS, Number(count)]])]),
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
   * Checks that a publication exceeds none of its limits.
   * @returns the RateLimit fields of its response, which count the publication itself
   * @throws Problem rate_limited
   */
  check(publication: Publication): Fields {
    const states = this.#windowsOf(publication).map((window) => this.#stateOf(window, publication))
    const full = states.filter(({ remaining }) => remaining < 0)
    if (full.length > 0) throw rateLimited(full, states)
    return rateLimitFields(states)
  }

  /** Counts a publication in each of its windows. */
  count(publication: Publication): void {
    for (const { name, added } of this.#windowsOf(publication)) {
      const counter = counterOf(name, publication)
      added.set(counter, (added.get(counter) ?? 0) + 1)
    }
  }

  #windowsOf({ limits }: Publication): Window[] {
    return limits.flatMap((name) => this.#windows.get(name) ?? [])
  }

  #stateOf({ name, ends_at, before, added }: Window, publication: Publication): WindowState {
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
    const { perOrigin = [], shared = [] } = Object.groupBy(
      [...this.#windows.values()].filter(({ added }) => added.size > 0),
      ({ name }) => (LIMITS[name].perOrigin ? 'perOrigin' : 'shared'),
    )
    for (const { name, ends_at, added } of perOrigin)
      await this.#origins.write(tx, { name, ends_at }, [...added])
    const rows = shared.map(({ name, ends_at, before, added }) => {
      const count = (before.get(ALL_ORIGINS) ?? 0) + (added.get(ALL_ORIGINS) ?? 0)
      return { ends_at, name, count }
    })
    await saveWindows(tx, rows)
  }
}

function windowOf(name: LimitName, now: number): { name: LimitName; ends_at: number } {
  const { window } = LIMITS[name]
  return { name, ends_at: (Math.floor(now / window) + 1) * window }
}

/** Returns the key under which a window counts a publication. */
const counterOf = (name: LimitName, { origin }: Publication): string =>
  LIMITS[name].perOrigin ? origin : ALL_ORIGINS

const findWindows = compiledForEach((db, items: readonly { name: string; ends_at: number }[]) =>
  db
    .selectFrom('rate_windows')
    .select(['name', 'count'])
    .where(
      sql<boolean>`(ends_at, name) in (values ${sql.join(
        items.map(({ name, ends_at }) => sql`(cast(${ends_at} as bigint), ${name})`),
      )})`,
    ),
)

const saveWindows = compiledUpsert('rate_windows')
