// Waits.
import { setTimeout } from 'node:timers/promises'

/** Resolves after a time [ms]. @param signal aborts the wait */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal })
}
