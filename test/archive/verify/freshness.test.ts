// The newest day may have ended at most as long ago as the reader allows.
// Rules: FORMAT.md 24.1.
import { describe, expect, test } from 'vitest'
import { newestOf } from '../../../archive/log/days.ts'
import { verified } from '../decoding.ts'
import { mirrorFixture } from '../mirror/mirror-fixture.ts'

const HOUR = 3_600_000
const END = Date.parse('2026-11-03T00:00:00Z')
/** A reader who allows 36 hours, so long after the end of 2026-11-02. */
const sinceEnd = (ms: number) => ({ hours: 36, now: END + ms })

test('the newest day is that of the calendar, in any order of the log', () => {
  expect(newestOf(['2026-11-19', '2026-12-01', '2026-11-30'])).toBe('2026-12-01')
  expect(newestOf([])).toBeNull()
})

describe('an archive whose newest day is 2026-11-02', () => {
  const at = mirrorFixture()

  test('verify fails when that day ended longer ago than allowed, and names its age', async () => {
    const verify = async (ms: number) => {
      const log = { freshness: sinceEnd(ms) }
      return verified(at.source, { quick: true, log })
    }
    for (const ms of [-1000 * HOUR, 0, 36 * HOUR])
      expect(await verify(ms)).toMatchObject({ ok: true, findings: [] })
    expect(await verify(36 * HOUR + 1)).toMatchObject({ ok: false, findings: [{ code: 'stale' }] })
    const message = 'the newest day, 2026-11-02, ended 80 hours ago; at most 36 may have passed'
    expect((await verify(80.5 * HOUR)).findings).toEqual([{ code: 'stale', file: 'log', message }])
  })

  test('mirror takes the days, and fails when the newest ended longer ago than allowed', async () => {
    expect(await at.mirror({ freshness: sinceEnd(36 * HOUR) })).toMatchObject({
      ok: true,
      findings: [],
    })
    await at.publishThird()
    const stale = await at.mirror({ freshness: sinceEnd((24 + 37) * HOUR) })
    expect(stale).toMatchObject({ ok: false, days: 3, updated: 1 })
    expect(stale.findings).toMatchObject([{ code: 'stale', file: `${at.server.url}/log` }])
    at.expectOriginBytes()
  })
})
