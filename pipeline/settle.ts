// Waits until a day that has only just ended is whole in the database.
import { setTimeout as sleep } from 'node:timers/promises'
import { daySpan } from '../archive/format/paths.ts'
import type { Store } from '../server/store/database.ts'
import { HEARTBEAT_EVERY_MS, LONGEST_SILENCE_MS } from '../server/store/heartbeats.ts'
import { hasHeartbeatSince } from './queries.ts'

/** After the time of two heartbeats, one covers the day's end [ms]. */
const TIMEOUT_MS = 2 * HEARTBEAT_EVERY_MS
const LOOK_EVERY_MS = 250

/**
 * Waits for the heartbeat that covers the end of a day, where a server is running to write it, and
 * for the transactions in flight: a record is dated while it holds the write lock, so whatever
 * comes after belongs to a later day.
 * @param now wall time, ms since 1970
 */
export async function letDaySettle(
  store: Store,
  day: string,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const end = daySpan(day).to
  const looks = Math.ceil((end + TIMEOUT_MS - now) / LOOK_EVERY_MS)
  if (looks > 0 && (await hasHeartbeatSince(store.db, end - LONGEST_SILENCE_MS)))
    for (let look = 0; look < looks && !(await hasHeartbeatSince(store.db, end)); look++)
      await sleep(LOOK_EVERY_MS, undefined, { signal })
  await store.write(async () => {})
}
