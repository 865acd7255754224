// The modes for reads from a replica: those of the primary, or the last known ones while it does not respond.
import { setTimeout as sleep } from 'node:timers/promises'
import { isUnavailable } from '../store/database.ts'
import type { Modes } from './rules.ts'

/** How long a read waits for an unresponsive primary [ms]. */
const TIMEOUT_MS = 500

/** @param current reads the modes from the primary */
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
