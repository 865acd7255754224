// Waits until the database has all records and heartbeats of a day that has only just ended.
import { setTimeout as sleep } from 'node:timers/promises'
import { daySpan } from '../archive/format/calendar.ts'
import type { Database } from '../server/database/database.ts'
import { HEARTBEAT_EVERY_MS, LONGEST_SILENCE_MS } from '../server/database/records/heartbeats.ts'
import { hasHeartbeatSince } from './days/queries.ts'

/** Two heartbeat intervals after the day's end, a running server has written one that covers it [ms]. */
const TIMEOUT_MS = 2 * HEARTBEAT_EVERY_MS
const POLL_MS = 250

/**
 * Waits for the heartbeat that covers the end of a day, if a server is running to write it, and for
 * transactions in flight. A record is dated under the write lock, so any later one belongs to a later day.
 * @param now wall-clock time [ms since 1970]
 */
export async function letDaySettle(
  database: Database,
  day: string,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const end = daySpan(day).to
  const maxPolls = Math.ceil((end + TIMEOUT_MS - now) / POLL_MS)
  if (maxPolls > 0 && (await hasHeartbeatSince(database.db, end - LONGEST_SILENCE_MS)))
    for (let poll = 0; poll < maxPolls && !(await hasHeartbeatSince(database.db, end)); poll++)
      await sleep(POLL_MS, undefined, { signal })
  await database.write(async () => {})
}
