// Generates arbitrary valid snapshots for property tests.
import fc from 'fast-check'
import type { Snapshot } from '../../../archive/format/snapshot.ts'
import { makeSnapshot, perCounter } from '../days.ts'

/** The day of all generated snapshots. */
export const DAY = '2026-11-19'

export const anySnapshot: fc.Arbitrary<Snapshot> = fc
  .record({
    counters: fc.array(fc.option(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })), {
      minLength: 12,
      maxLength: 12,
    }),
    status: fc.constantFrom('none', 'partial', 'complete'),
    observed: fc.integer({ min: 0, max: 86_400 }),
    reasons: fc.array(
      fc.record({
        code: fc.constantFrom('service_not_running', 'read_only', 'feature_disabled'),
        from: fc.integer({ min: 0, max: 43_000_000 }),
        length: fc.integer({ min: 1, max: 43_000_000 }),
      }),
    ),
    clock: fc.constantFrom('unverified', 'ok', 'stepped'),
    conclusion: fc.constantFrom('inconclusive', 'quiet', 'active'),
    linked: fc.boolean(),
  })
  .map((parts) => {
    const at = (ms: number) => new Date(Date.parse(`${DAY}T00:00:00.000Z`) + ms).toISOString()
    return makeSnapshot(DAY, {
      counters: perCounter((index) => parts.counters[index]?.toString() ?? null),
      availability: perCounter((index) => parts.counters[index] !== null),
      coverage: {
        status: parts.status,
        observed_seconds: parts.observed,
        reasons: parts.reasons.map(({ code, from, length }) => ({
          code,
          from: at(from),
          to: at(from + length),
        })),
      },
      clock: { status: parts.clock },
      conclusion: parts.conclusion,
      previous: parts.linked ? { day: '2026-11-01', sha256: '0f'.repeat(32) } : null,
    } as Partial<Snapshot>)
  })
