// The machine's clocks and randomness, which entry points pass to everything else, and bounds on how long one waits or retries.
import { randomBytes } from 'node:crypto'
import { uptime } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Clock {
  /** Wall time [ms since 1970]. */
  now(): number
  /** Monotonic time, unaffected by clock changes [ms]. */
  monotonic(): number
  /** Time since the machine's boot: it includes suspension, and nobody can set it [ms]. */
  sinceBoot(): number
  /** The database's clock, given what the database has read; only tests return anything else [ms since 1970]. */
  ofDatabase(reading: number): number
}

const MS_PER_S = 1000

/** The service's sources of time and randomness; tests supply their own. */
export interface System {
  clock: Clock
  /** That many random bytes, in hex. */
  randomHex(bytes: number): string
}

export const system: System = {
  clock: {
    now: Date.now,
    monotonic: () => performance.now(),
    sinceBoot: () => uptime() * MS_PER_S,
    ofDatabase: (reading) => reading,
  },
  randomHex: (bytes) => randomBytes(bytes).toString('hex'),
}

/** Resolves or rejects as the promise does, or resolves with `otherwise` after this time [ms]. */
export function within<T, U>(ms: number, promise: Promise<T>, otherwise: U): Promise<T | U> {
  const { promise: late, resolve } = Promise.withResolvers<U>()
  const timer = setTimeout(resolve, ms, otherwise).unref()
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

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
