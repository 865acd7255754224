// Time in tests: they wait for conditions, and let time pass only where that is the point.
import { setTimeout as sleep } from 'node:timers/promises'

/** The pause before a condition is looked at again [ms]: short at first, and longer the longer it has taken. */
const LOOK_MS = { least: 2, most: 50 }
const PART_OF_WAIT = 1 / 20

/**
 * Waits until a condition holds.
 * @param ms long enough for a machine that is busy with other work
 * @throws Error that quotes the condition when it does not hold in time
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  ms = 15_000,
): Promise<void> {
  const begin = performance.now()
  while (!(await condition())) {
    const waited = performance.now() - begin
    if (waited > ms) throw new Error(`not within ${ms} ms: ${condition}`)
    await sleep(Math.min(Math.max(waited * PART_OF_WAIT, LOOK_MS.least), LOOK_MS.most))
  }
}

/** Waits until a value has not changed for a while. @returns the value */
export async function settled(read: () => number, quietMs = 150): Promise<number> {
  let value = read()
  for (
    let since = performance.now();
    performance.now() - since < quietMs;
    await sleep(LOOK_MS.least)
  ) {
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
