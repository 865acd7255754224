// The current modes, or the last known ones while the database does not respond.
import { setTimeout as sleep } from 'node:timers/promises'
import { isUnavailable } from '../store/database.ts'
import type { Modes } from './rules.ts'

/** How long a read waits for an unresponsive database [ms]. */
const TIMEOUT_MS = 500

/** @param current reads the modes from the database */
export function lastKnownModes(current: () => Promise<Modes>): () => Promise<Modes> {
  let known: Modes | undefined
  const refresh = async () => {
    known = await current()
    return known
  }
  refresh().catch(() => {})
  return async () => {
    const refreshed = refresh()
    if (known === undefined) return refreshed
    const last = known
    const available = refreshed.catch((error) => {
      if (isUnavailable(error)) return last
      throw error
    })
    return Promise.race([available, sleep(TIMEOUT_MS, last, { ref: false })])
  }
}
