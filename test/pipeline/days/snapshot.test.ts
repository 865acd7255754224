// Tests how counts, coverage and the previous day become a snapshot (FORMAT.md 3 to 7).
// Rules: FORMAT.md 3.1, 4.2, 5.3.

import { describe, expect, it } from 'vitest'
import { observeDay } from '../../../pipeline/days/coverage.ts'
import { composeSnapshot, type SnapshotParts } from '../../../pipeline/days/snapshot.ts'
import { COUNTER_NAMES } from '../../../protocol/index.ts'
import type { Counts } from '../../../server/data/counts.ts'
import { NO_RECORDS } from '../../archive/days.ts'

const FROM = Date.parse('2026-11-18T00:00:00Z')
const SPAN = { from: FROM, to: FROM + 86_400_000 }
const WATCHED = { from: SPAN.from, to: SPAN.to, readOnly: false, disabled: [] }

const counted = (changes: Partial<Counts> = {}): Counts => ({
  ...(Object.fromEntries(COUNTER_NAMES.map((name) => [name, 0n])) as Counts),
  ...changes,
})
const compose = (changes: Partial<SnapshotParts> = {}) =>
  composeSnapshot({
    day: '2026-11-18',
    span: SPAN,
    counts: counted(),
    observed: observeDay(SPAN, [WATCHED], []),
    previous: null,
    records: NO_RECORDS,
    generatedAt: SPAN.to + 300_000,
    ...changes,
  })

describe('snapshots', () => {
  it('a snapshot is quiet when nothing was published and the whole day was observed', () => {
    expect(compose()).toMatchObject({
      conclusion: 'quiet',
      from: '2026-11-18T00:00:00.000Z',
      to: '2026-11-19T00:00:00.000Z',
      generated_at: '2026-11-19T00:05:00.000Z',
    })
  })

  it('a snapshot is inconclusive when nothing was observed, or the clock stepped', () => {
    expect(compose({ observed: observeDay(SPAN, [], []) }).conclusion).toBe('inconclusive')
    const step = [{ expectedAt: FROM, actualAt: FROM + 5000 }]
    const stepped = compose({ observed: observeDay(SPAN, [WATCHED], step) })
    expect(stepped).toMatchObject({ clock: { status: 'stepped' }, conclusion: 'inconclusive' })
  })

  it('a snapshot states counts of up to 64 bits as decimal strings', () => {
    const counts = counted({ message_bytes: (1n << 64n) - 1n })
    expect(compose({ counts }).counters.message_bytes).toBe('18446744073709551615')
  })
})
