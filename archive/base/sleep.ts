// Waits.
import { setTimeout } from 'node:timers/promises'

/** Resolves after a time [ms]. */
export const sleep = (ms: number): Promise<void> => setTimeout(ms)
