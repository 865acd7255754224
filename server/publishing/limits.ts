// Rate limits in fixed UTC windows, counted in the database (API.md 6).
import { sql, type Transaction } from 'kysely'
import { compiledForEach, compiledInsert } from '../store/compiled.ts'
import type { Schema } from '../store/schema.ts'
import { Problem } from '../wire/problem.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The five limits of the specification: window length in ms, and whether each origin has its own. */
export const LIMITS = {
  messages_origin_minute: { window: MINUTE, perOrigin: true, byDefault: 300 },
  messages_global_minute: { window: MINUTE, perOrigin: false, byDefault: 1200 },
  messages_global_day: { window: DAY, perOrigin: false, byDefault: 50_000 },
  directories_origin_hour: { window: HOUR, perOrigin: true, byDefault: 100 },
  directories_global_day: { window: DAY, perOrigin: false, byDefault: 2000 },
} as const

export type LimitName = keyof typeof LIMITS

/** The quota of each limit; 0 lifts it. */
export type Quotas = Record<LimitName, number>

/** The shared publication quota: plain messages, questions and contributions. */
export const MESSAGE_LIMITS = [
  'messages_origin_minute',
  'messages_global_minute',
  'messages_global_day',
] as const
export const DIRECTORY_LIMITS = ['directories_origin_hour', 'directories_global_day'] as const

/** What limits a publication, and whose it is. */
export interface Publication {
  limits: readonly LimitName[]
  /** Keyed hash of the source address. */
  origin: string
}

/** Which windows a publication falls in: an origin's own, and those of all. */
interface WindowKey {
  name: LimitName
  /** Empty for a window of all origins. */
  origin: string
  /** ms since 1970 */
  ends_at: number
}

/** One window with this publication counted. */
interface Standing {
  name: LimitName
  quota: number
  /** Publications left, and whole seconds until the window ends. */
  remaining: number
  resets: number
}

/** The windows that the publications of a batch fall in, counted in memory and saved at once. */
export class Windows {
  readonly #quotas: Quotas
  readonly #now: number
  readonly #counts: Map<string, bigint>
  readonly #changed = new Map<string, WindowKey>()

  private constructor(quotas: Quotas, now: number, counts: Map<string, bigint>) {
    this.#quotas = quotas
    this.#now = now
    this.#counts = counts
  }

  /** @param now ms since 1970 */
  static async read(
    tx: Transaction<Schema>,
    publications: readonly Publication[],
    quotas: Quotas,
    now: number,
  ): Promise<Windows> {
    const keys = publications.flatMap(({ limits, origin }) =>
      limits.filter((name) => quotas[name] > 0).map((name) => windowOf(name, origin, now)),
    )
    const distinct = new Map(keys.map((key) => [nameOf(key), key]))
    const rows = await findWindows(tx, [...distinct.values()])
    return new Windows(quotas, now, new Map(rows.map((row) => [nameOf(row), row.count])))
  }

  /**
   * Asks whether every window that a publication falls in has room for it.
   * @returns the RateLimit fields of its answer, with itself counted
   * @throws Problem rate_limited, with Retry-After to the end of the latest window that is full
   */
  check({ limits, origin }: Publication): Fields {
    const standings = this.#windows(limits, origin).map((window) => this.#standing(window))
    const full = standings.filter((standing) => standing.remaining < 0)
    if (full.length > 0) throw rateLimited(full, standings)
    return rateLimitFields(standings)
  }

  /** Counts a publication in each of its windows. */
  count({ limits, origin }: Publication): void {
    for (const window of this.#windows(limits, origin)) {
      const name = nameOf(window)
      this.#counts.set(name, (this.#counts.get(name) ?? 0n) + 1n)
      this.#changed.set(name, window)
    }
  }

  #windows(limits: readonly LimitName[], origin: string): WindowKey[] {
    const limited = limits.filter((name) => this.#quotas[name] > 0)
    return limited.map((name) => windowOf(name, origin, this.#now))
  }

  #standing(window: WindowKey): Standing {
    const { name, ends_at } = window
    const count = Number(this.#counts.get(nameOf(window)) ?? 0n) + 1
    return {
      name,
      quota: this.#quotas[name],
      remaining: this.#quotas[name] - count,
      resets: Math.max(1, Math.ceil((ends_at - this.#now) / 1000)),
    }
  }

  async write(tx: Transaction<Schema>): Promise<void> {
    const rows = [...this.#changed].map(([key, window]) => ({
      ...window,
      count: this.#counts.get(key) as bigint,
    }))
    await saveWindows(tx, rows)
  }
}

/** Header fields by name. */
export type Fields = Record<string, string>

function windowOf(name: LimitName, origin: string, now: number): WindowKey {
  const { window, perOrigin } = LIMITS[name]
  return {
    name,
    origin: perOrigin ? origin : '',
    ends_at: (Math.floor(now / window) + 1) * window,
  }
}

const nameOf = ({ name, origin }: { name: string; origin: string }) => `${name} ${origin}`

const findWindows = compiledForEach((db, items: readonly WindowKey[]) =>
  db
    .selectFrom('rate_windows')
    .select(['name', 'origin', 'count'])
    .where(
      sql<boolean>`(ends_at, name, origin) in (values ${sql.join(
        items.map(
          ({ name, origin, ends_at }) => sql`(cast(${ends_at} as bigint), ${name}, ${origin})`,
        ),
      )})`,
    ),
)

const saveWindows = compiledInsert(
  'rate_windows',
  ['ends_at', 'name', 'origin', 'count'],
  (insert) =>
    insert.onConflict((conflict) =>
      conflict
        .columns(['ends_at', 'name', 'origin'])
        .doUpdateSet(({ ref }) => ({ count: ref('excluded.count') })),
    ),
)

function rateLimited(full: Standing[], standings: Standing[]): Problem {
  // Nothing stays counted of what is refused.
  const fields = rateLimitFields(
    standings.map((standing) => ({ ...standing, remaining: standing.remaining + 1 })),
  )
  const { name, quota, resets } = full.reduce((a, b) => (b.resets > a.resets ? b : a))
  return new Problem('rate_limited', `${name}: at most ${quota}; try again in ${resets} s`, {
    'retry-after': String(resets),
    ...fields,
  })
}

/** RateLimit-Policy and RateLimit of draft-ietf-httpapi-ratelimit-headers-10. */
function rateLimitFields(standings: Standing[]): Fields {
  if (standings.length === 0) return {}
  const policy = standings.map(
    ({ name, quota }) => `"${name}";q=${quota};w=${LIMITS[name].window / 1000}`,
  )
  const state = standings.map(
    ({ name, remaining, resets }) => `"${name}";r=${Math.max(0, remaining)};t=${resets}`,
  )
  return { 'ratelimit-policy': policy.join(', '), ratelimit: state.join(', ') }
}
