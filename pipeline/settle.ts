// A day that has only just ended is not yet whole in the database: what is on its way is waited for.
import { setTimeout as sleep } from 'node:timers/promises'
import { dayStart, nextDay } from '../archive/format/paths.ts'
import type { Store } from '../server/store/database.ts'
import { wasNotedSince } from './queries.ts'

/** A server notes its life every ten seconds; twice that, and the note that covers the day's end is there. */
const NOTE_PATIENCE_MS = 20_000
/** A server that was silent for longer before the day's end is not waited for. */
const ALIVE_MS = 30_000
const LOOK_EVERY_MS = 250

/**
 * Waits for the note of life that covers the end of a day, where a server is there to write it, and
 * for the transactions that are under way: a record is dated while it holds the write lock, so
 * whatever comes after belongs to a later day.
 * @param now wall time, ms since 1970
 */
export async function letDaySettle(
  store: Store,
  day: string,
  now: () => number,
  signal: AbortSignal,
): Promise<void> {
  const end = dayStart(nextDay(day))
  const patience = end + NOTE_PATIENCE_MS - now()
  if (patience > 0 && (await wasNotedSince(store.db, end - ALIVE_MS))) {
    const deadline = performance.now() + patience
    while (performance.now() < deadline && !(await wasNotedSince(store.db, end)))
      await sleep(LOOK_EVERY_MS, undefined, { signal })
  }
  await store.write(async () => {})
}
