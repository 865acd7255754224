// The machine's clocks and randomness, which entry points pass to everything else.
import { randomBytes } from 'node:crypto'

export interface Clock {
  /** Wall time [ms since 1970]. */
  now(): number
  /** Monotonic time, unaffected by clock changes [ms]. */
  monotonic(): number
}

/** The service's sources of time and randomness; tests supply their own. */
export interface System {
  clock: Clock
  /** That many random bytes, in hex. */
  randomHex(bytes: number): string
}

export const system: System = {
  clock: { now: Date.now, monotonic: () => performance.now() },
  randomHex: (bytes) => randomBytes(bytes).toString('hex'),
}
