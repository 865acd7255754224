// Random histories of a board with two servers, on the engine of the run (API.md 4.5, 5, 8; OPERATING.md 6.1).
import { expect, test } from 'vitest'
import { ON_POSTGRES } from '../support/database.ts'
import { live } from './history.ts'
import { MINUTES, SEED } from './length.ts'

/** Steps of one history: about a minute, or less where nothing asks for more. On PostgreSQL there is more that can fail. */
const STEPS = MINUTES > 0 ? 100 : ON_POSTGRES ? 30 : 15

test(
  'whatever fails, a 201 is readable, what is hidden is not, no cursor misses anything, and every receipt is kept',
  async () => {
    const end = AbortSignal.timeout(MINUTES * 60_000)
    const total = new Map<string, number>()
    let seed = SEED
    do {
      const happened = await live(seed++, STEPS, ON_POSTGRES)
      for (const [name, count] of happened) total.set(name, (total.get(name) ?? 0) + count)
      if (MINUTES > 0)
        process.stdout.write(`seeds to ${seed - 1}: ${JSON.stringify(Object.fromEntries(total))}\n`)
    } while (!end.aborted)
    expect(total.get('judged')).toBeGreaterThan(0)
  },
  (MINUTES + 20) * 60_000,
)
