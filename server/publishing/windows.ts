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

/** The current windows that the publications of a batch count in. */
export type Windows = Awaited<ReturnType<typeof readWindows>>

/**
 * Reads the windows in a transaction that holds the write lock, so that no process counts in them meanwhile.
 * @param now [ms since 1970]
 */
export async function readWindows(
  tx: Transaction,
  publications: readonly Publication[],
  quotas: Quotas,
  now: number,
) {
  /** Those that have not ended, by origin. */
  const open = new Map<string, Window[]>()
  /** The origins whose counts this batch has added to. */
  const changed = new Set<string>()
  for (const { limits, origin } of publications)
    for (const name of limits) if (quotas[name] > 0) open.set(originIn(name, origin), [])
  for (const { origin, windows } of await findRows(tx, [...open.keys()])) {
    const stored: Window[] = JSON.parse(windows)
    const notEnded = stored.filter(({ ends_at }) => ends_at > now)
    open.set(origin, notEnded)
  }
  const windowsOf = (origin: string) => open.get(origin) as Window[]
  return {
    /**
     * Checks that a publication exceeds none of its limits.
     * @returns the RateLimit fields of its response, which count the publication itself
     * @throws Problem rate_limited
     */
    check({ limits, origin }: Publication): Fields {
      const names = limits.filter((name) => quotas[name] > 0)
      const states = names.map((name) =>
        stateOf(windowIn(windowsOf(originIn(name, origin)), name, now), quotas[name], now),
      )
      const full = states.filter(({ remaining }) => remaining < 0)
      if (full.length > 0) throw rateLimited(full, states)
      return rateLimitFields(states)
    },
    count({ limits, origin }: Publication): void {
      for (const name of limits) {
        if (quotas[name] === 0) continue
        const counted = originIn(name, origin)
        windowIn(windowsOf(counted), name, now).count += 1
        changed.add(counted)
      }
    },
    async write(): Promise<void> {
      const rows = [...changed].map((origin) => {
        const windows = windowsOf(origin)
        const ends_at = Math.max(...windows.map((window) => window.ends_at))
        return { origin, ends_at, windows: JSON.stringify(windows) }
      })
      await saveRows(tx, rows)
    },
  }
}

/** Returns the current window of a limit, which begins with its first publication. */
function windowIn(windows: Window[], name: LimitName, now: number): Window {
  const ends_at = endOf(name, now)
  // A process whose clock is ahead may have begun a later one.
  const known = windows.find((window) => window.name === name && window.ends_at === ends_at)
  if (known) return known
  const window = { name, ends_at, count: 0 }
  windows.push(window)
  return window
}

const stateOf = ({ name, ends_at, count }: Window, quota: number, now: number): WindowState => ({
  name,
  quota,
  remaining: quota - count - 1,
  resets: Math.max(1, Math.ceil((ends_at - now) / 1000)),
})

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
