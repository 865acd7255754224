// Random histories of a board with two servers, on the engine of the run (API.md 4.5, 5, 8; OPERATING.md 6.1).
import { expect, test } from 'vitest'
import { ON_POSTGRES } from '../support/database.ts'
import { live } from './history.ts'
import { MINUTES, SEED } from './length.ts'

/** Steps of the short form. On PostgreSQL there is more that can fail. */
const STEPS = ON_POSTGRES ? 30 : 15
/** A seed lives for 10 minutes or a little more. A run that is shorter is one shorter seed. */
const SEEDS = Math.max(1, Math.floor(MINUTES / 10))

/** When a history is to end. */
function untilOver(): (step: number) => boolean {
  if (MINUTES === 0) return (step) => step >= STEPS
  const end = AbortSignal.timeout((MINUTES / SEEDS) * 60_000)
  return () => end.aborted
}

test(
  'whatever fails, a 201 is readable, what is hidden is not, no cursor misses anything, and every receipt is kept',
  async () => {
    const total = new Map<string, number>()
    for (let seed = SEED; seed < SEED + SEEDS; seed++) {
      const happened = await live(seed, untilOver(), ON_POSTGRES).catch((error) => {
        // At once: vitest tells of it only when the history on the other engine is over, too.
        process.stdout.write(`${error.message}\n`)
        throw error
      })
      for (const [name, count] of happened) total.set(name, (total.get(name) ?? 0) + count)
      if (MINUTES > 0)
        process.stdout.write(`seeds to ${seed}: ${JSON.stringify(Object.fromEntries(total))}\n`)
    }
    expect(total.get('judged')).toBeGreaterThan(0)
  },
  (2 * MINUTES + 20) * 60_000,
)
