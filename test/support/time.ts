// Waiting in tests: for conditions, and for a fixed time only where that is the point of the test.
import { setTimeout as sleep } from 'node:timers/promises'
import { dayOf, dayStart, nextDay } from '../../archive/format/calendar.ts'

/** Guards against a hang: no working machine is so slow that it needs longer. Asserts nothing about speed [ms]. */
export const DEADLINE_MS = 90_000

/** The pause between two checks of a condition grows with the time waited so far [ms]. */
const PAUSE_MS = { least: 2, most: 50 }
/** Its length, as a fraction of the time waited. */
const PAUSE_PART = 1 / 20

/**
 * Waits until a condition holds.
 * @param ms the deadline, which only guards against a hang
 * @throws Error that quotes the condition when it does not hold in time
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  ms = DEADLINE_MS,
): Promise<void> {
  const begin = performance.now()
  while (!(await condition())) {
    const waited = performance.now() - begin
    if (waited > ms) throw new Error(`not within ${ms} ms: ${condition}`)
    await sleep(Math.min(Math.max(waited * PAUSE_PART, PAUSE_MS.least), PAUSE_MS.most))
  }
}

/** Longer than a file of tests takes [ms]. */
const BEFORE_MIDNIGHT_MS = 120_000

/** Returns the current day (UTC), once it does not end while a file of tests runs. */
export async function today(): Promise<string> {
  const left = dayStart(nextDay(dayOf(Date.now()))) - Date.now()
  if (left < BEFORE_MIDNIGHT_MS) await sleep(left)
  return dayOf(Date.now())
}

/** Waits until a value has not changed for `quietMs`. @returns the value */
export async function settled(read: () => number, quietMs = 150): Promise<number> {
  let value = read()
  for (
    let since = performance.now();
    performance.now() - since < quietMs;
    await sleep(PAUSE_MS.least)
  ) {
    const now = read()
    if (now !== value) since = performance.now()
    value = now
  }
  return value
}

/**
 * Waits a fixed time where there is no condition to wait for: something must not happen meanwhile, or the time itself is
 * tested.
 * @param _why the reason, for the reader
 */
export async function elapse(ms: number, _why: string): Promise<void> {
  await sleep(ms)
}
