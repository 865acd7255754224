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

/** Counts the current day, at most once in ten seconds. @throws when the database cannot be read */
export type TodayCounts = () => Promise<Today>

export function todayCounts(db: Queryable, clock: Clock): TodayCounts {
  let until = Number.NEGATIVE_INFINITY
  let counting: Promise<Today> | undefined
  return () => {
    const at = clock.now()
    if (counting && at < until) return counting
    const day = dayOf(at)
    until = Math.min(at + CACHE_MS, daySpan(day).to)
    counting = count(db, day).catch((error) => {
      counting = undefined
      throw error
    })
    return counting
  }
}

async function count(db: Queryable, day: string): Promise<Today> {
  const { counts } = await countDay(db, daySpan(day))
  return { day, counters: perCounter((name) => counts[name]?.toString() ?? null) }
}
