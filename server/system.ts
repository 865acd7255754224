// The clocks and the randomness of this machine, for entry points to pass on.
import { randomBytes } from 'node:crypto'

export interface Clock {
  /** Wall time [ms since 1970]. */
  now(): number
  /** A time that nobody sets [ms]. */
  monotonic(): number
}

/** What the service takes from the machine; tests bring their own. */
export interface System {
  clock: Clock
  /** As many random bytes, in hex. */
  randomHex(bytes: number): string
}

export const system: System = {
  clock: { now: Date.now, monotonic: () => performance.now() },
  randomHex: (bytes) => randomBytes(bytes).toString('hex'),
}
