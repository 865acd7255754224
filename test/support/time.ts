// Time in tests: they wait for conditions, and let time pass only where that is the point.
import { setTimeout as sleep } from 'node:timers/promises'

/** How often a condition is looked at [ms]. */
const LOOK_MS = 2

/**
 * Waits until a condition holds.
 * @param ms long enough for a machine that is busy with other work
 * @throws Error that quotes the condition when it does not hold in time
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  ms = 15_000,
): Promise<void> {
  const deadline = performance.now() + ms
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not within ${ms} ms: ${condition}`)
    await sleep(LOOK_MS)
  }
}

/** Waits until a value has not changed for a while. @returns the value */
export async function settled(read: () => number, quietMs = 150): Promise<number> {
  let value = read()
  for (let since = performance.now(); performance.now() - since < quietMs; await sleep(LOOK_MS)) {
    const now = read()
    if (now !== value) since = performance.now()
    value = now
  }
  return value
}

/**
 * Lets time pass where there is no condition to wait for: something must not happen meanwhile, or the time itself is
 * what is tested.
 * @param _why the reason, for the reader
 */
export async function elapse(ms: number, _why: string): Promise<void> {
  await sleep(ms)
}
