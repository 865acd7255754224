// The current modes, or the last known ones while the database does not respond.
import { isUnavailable } from '../database/errors.ts'
import { within } from '../time-limit.ts'
import type { Modes } from './rules.ts'

/** How long a page waits for an unresponsive database [ms]. */
const TIMEOUT_MS = 500

/**
 * Returns a function that reads the modes in a short time. It returns null while they have never been read.
 * @param current reads the modes from the database
 */
export function lastKnownModes(current: () => Promise<Modes>): () => Promise<Modes | null> {
  let known: Modes | null = null
  const refresh = async () => {
    known = await current()
    return known
  }
  refresh().catch(() => {})
  return async () => {
    const available = refresh().catch((error) => {
      if (isUnavailable(error)) return known
      throw error
    })
    return within(TIMEOUT_MS, available, known)
  }
}
