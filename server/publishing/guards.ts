// Guards of the write path: the reasons why this server numbers and dates no records now.
import type { Opening } from '../database/database.ts'
import type { Problem } from '../wire/problem.ts'

/**
 * Returns why nothing may be written now; null if this guard allows it. Each write transaction of this server asks once
 * it holds the lock, so a guard must answer from memory.
 * @param opening what the statement that took the lock has read
 */
export type WriteGuard = (opening: Opening) => Problem | null

/** Returns the first guard's reason; null if all allow it. */
export function refusalOf(guards: readonly WriteGuard[], opening: Opening): Problem | null {
  for (const guard of guards) {
    const refusal = guard(opening)
    if (refusal) return refusal
  }
  return null
}
