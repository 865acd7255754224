// Retries what fails for a while, on either engine.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../system/system.ts'

/**
 * Attempts until one succeeds, an error does not pass, or the deadline has passed.
 * @param passes whether another attempt may succeed after this error
 * @param deadline [monotonic ms]
 * @throws the last error
 */
export async function retried<T>(
  attempt: () => Promise<T>,
  passes: (error: unknown) => boolean,
  { clock, deadline, pauseMs }: { clock: Clock; deadline: number; pauseMs: number },
): Promise<T> {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!passes(error) || clock.monotonic() > deadline) throw error
      await sleep(pauseMs)
    }
  }
}
