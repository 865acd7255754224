// Bounds how long something is waited for.
import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves or rejects as the promise does, or resolves with `otherwise` after this time [ms]. */
export const within = <T, U>(ms: number, promise: Promise<T>, otherwise: U): Promise<T | U> =>
  Promise.race([promise, sleep(ms, otherwise, { ref: false })])
