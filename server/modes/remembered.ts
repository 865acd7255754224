// The modes for those who read a replica: the primary's, or the last that were known while it is away.
import { setTimeout as sleep } from 'node:timers/promises'
import { isUnavailable } from '../store/database.ts'
import type { Modes } from './rules.ts'

/** How long a read waits for a primary that is silent [ms]. */
const TIMEOUT_MS = 500

/** @param current asks the primary */
export function rememberedModes(current: () => Promise<Modes>): () => Promise<Modes> {
  let known: Modes | undefined
  const ask = async () => {
    known = await current()
    return known
  }
  ask().catch(() => {})
  return async () => {
    const asked = ask()
    if (known === undefined) return asked
    const last = known
    const answered = asked.catch((error) => {
      if (isUnavailable(error)) return last
      throw error
    })
    return Promise.race([answered, sleep(TIMEOUT_MS, last, { ref: false })])
  }
}
