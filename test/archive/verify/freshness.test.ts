// The newest day may have ended at most as long ago as the reader allows.
// Rules: FORMAT.md 24.1.
import { describe, expect, test } from 'vitest'
import { newestDay } from '../../../archive/log/days.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import { checkFreshness } from '../../../archive/verify/freshness.ts'
import { decode } from '../decoding.ts'
import { mirrorFixture } from '../mirror/mirror-fixture.ts'

const END = Date.parse('2026-11-20T00:00:00Z')
const HOUR = 3_600_000

test.each([
  [36, END + 36 * HOUR, []],
  [36, END + 36 * HOUR + 1, ['stale']],
  [1, END - 1, []],
  [1, END - 1000 * HOUR, []],
])('at most %d hours after its end, a day is fresh', (hours, now, codes) => {
  expect(checkFreshness('2026-11-19', 'log', { hours, now }).map(({ code }) => code)).toEqual(codes)
})

test('the finding names the day and its age', () => {
  expect(checkFreshness('2026-11-19', 'log', { hours: 36, now: END + 80.5 * HOUR })).toEqual([
    {
      code: 'stale',
      file: 'log',
      message: 'the newest day, 2026-11-19, ended 80 hours ago; at most 36 may have passed',
    },
  ])
})

test('no day, and no demand, give no finding', () => {
  expect(checkFreshness(null, 'log', { hours: 1, now: END + 1000 * HOUR })).toEqual([])
  expect(checkFreshness('2026-11-19', 'log', undefined)).toEqual([])
})

test('the newest day is that of the calendar, in any order of the log', () => {
  expect(newestDay(['2026-11-19', '2026-12-01', '2026-11-30'])).toBe('2026-12-01')
  expect(newestDay([])).toBeNull()
})

describe('an archive whose newest day is 2026-11-02', () => {
  const at = mirrorFixture()
  const atHour = (hour: number) => ({
    hours: 36,
    now: Date.parse('2026-11-03T00:00:00Z') + hour * HOUR,
  })

  test('verify fails when that day ended longer ago than allowed', async () => {
    const verify = async (hour: number) => {
      const log = { pauseMs: 0, freshness: atHour(hour) }
      return verifyArchive(folderPlace(at.source), { decode, quick: true, log })
    }
    expect(await verify(36)).toMatchObject({ ok: true, findings: [] })
    expect(await verify(37)).toMatchObject({
      ok: false,
      findings: [{ code: 'stale', file: 'log' }],
    })
  })

  test('mirror takes the days, and fails when the newest ended longer ago than allowed', async () => {
    expect(await at.mirror({ freshness: atHour(36) })).toMatchObject({ ok: true, findings: [] })
    await at.publishThird()
    const stale = await at.mirror({ freshness: atHour(24 + 37) })
    expect(stale).toMatchObject({ ok: false, days: 3, updated: 1 })
    expect(stale.findings).toMatchObject([{ code: 'stale', file: `${at.server.url}/log` }])
    at.expectOriginBytes()
  })
})
