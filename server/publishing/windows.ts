// Counts publications in the windows of the rate limits and stores the counts in the database (API.md 6.1).
import { compiledForValues, compiledUpsert } from '../database/compiled.ts'
import type { Transaction } from '../database/database.ts'
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

/** The origin in whose row all origins are counted together. */
const ALL_ORIGINS = ''

/** A window of a limit, for one origin or all of them, as it is stored. */
interface Window {
  name: LimitName
  /** [ms since 1970] */
  ends_at: number
  /** Publications, with those of this batch. */
  count: number
}

interface OriginWindows {
  /** Those that have not ended. */
  windows: Window[]
  /** Whether this batch has added to a count. */
  isChanged: boolean
}

/** The current windows that the publications of a batch count in. */
export class Windows {
  readonly #quotas: Quotas
  readonly #now: number
  readonly #rows: ReadonlyMap<string, OriginWindows>

  private constructor(quotas: Quotas, now: number, rows: ReadonlyMap<string, OriginWindows>) {
    this.#quotas = quotas
    this.#now = now
    this.#rows = rows
  }

  /**
   * Reads the windows in a transaction that holds the write lock, so that no process counts in them meanwhile.
   * @param now [ms since 1970]
   */
  static async read(
    tx: Transaction,
    publications: readonly Publication[],
    quotas: Quotas,
    now: number,
  ): Promise<Windows> {
    const rows = new Map<string, OriginWindows>()
    for (const { limits, origin } of publications)
      for (const name of limits)
        if (quotas[name] > 0) rows.set(originIn(name, origin), { windows: [], isChanged: false })
    for (const { origin, windows } of await findRows(tx, [...rows.keys()])) {
      const open = (JSON.parse(windows) as Window[]).filter(({ ends_at }) => ends_at > now)
      rows.set(origin, { windows: open, isChanged: false })
    }
    return new Windows(quotas, now, rows)
  }

  /**
   * Checks that a publication exceeds none of its limits.
   * @returns the RateLimit fields of its response, which count the publication itself
   * @throws Problem rate_limited
   */
  check({ limits, origin }: Publication): Fields {
    const names = limits.filter((name) => this.#quotas[name] > 0)
    const states = names.map((name) => this.#stateOf(this.#windowOf(name, origin)))
    const full = states.filter(({ remaining }) => remaining < 0)
    if (full.length > 0) throw rateLimited(full, states)
    return rateLimitFields(states)
  }

  count({ limits, origin }: Publication): void {
    for (const name of limits) {
      if (this.#quotas[name] === 0) continue
      this.#windowOf(name, origin).count += 1
      this.#rowOf(name, origin).isChanged = true
    }
  }

  #rowOf(name: LimitName, origin: string): OriginWindows {
    return this.#rows.get(originIn(name, origin)) as OriginWindows
  }

  #windowOf(name: LimitName, origin: string): Window {
    const { windows } = this.#rowOf(name, origin)
    const ends_at = endOf(name, this.#now)
    // A process whose clock is ahead may have begun a later one.
    const known = windows.find((window) => window.name === name && window.ends_at === ends_at)
    if (known) return known
    const window = { name, ends_at, count: 0 }
    windows.push(window)
    return window
  }

  #stateOf({ name, ends_at, count }: Window): WindowState {
    return {
      name,
      quota: this.#quotas[name],
      remaining: this.#quotas[name] - count - 1,
      resets: Math.max(1, Math.ceil((ends_at - this.#now) / 1000)),
    }
  }

  async write(tx: Transaction): Promise<void> {
    const changed = [...this.#rows].filter(([, { isChanged }]) => isChanged)
    const rows = changed.map(([origin, { windows }]) => ({
      origin,
      ends_at: Math.max(...windows.map(({ ends_at }) => ends_at)),
      windows: JSON.stringify(windows),
    }))
    await saveRows(tx, rows)
  }
}

/** Returns the end of the current window of a limit [ms since 1970]. */
function endOf(name: LimitName, now: number): number {
  const { window } = LIMITS[name]
  return (Math.floor(now / window) + 1) * window
}

/** Returns the origin under which a limit counts the publications of an origin. */
const originIn = (name: LimitName, origin: string): string =>
  LIMITS[name].perOrigin ? origin : ALL_ORIGINS

const findRows = compiledForValues((db, origins: readonly string[]) =>
  db.selectFrom('rate_windows').select(['origin', 'windows']).where('origin', 'in', origins),
)

const saveRows = compiledUpsert('rate_windows')
