// Explanations for days that are not archived.
// Rules: API.md 9.4, 9.10.
import { beforeAll, describe, expect, test } from 'vitest'
import { whyNotArchived } from '../../../server/transmissions/rules.ts'
import { clockAt, startTestService, type TestService } from '../../support/service.ts'

const PROGRESS = {
  now: Date.parse('2026-11-20T12:00:00.000Z'),
  newest: '2026-11-18',
  isMirror: false,
  firstDay: '2026-11-16',
}
const AFTER_MIDNIGHT = new Date('2026-11-21T00:05:00.000Z')

test.each([
  [
    '2026-11-20',
    AFTER_MIDNIGHT,
    '2026-11-20 is not over yet; its transmission is due at 2026-11-21 00:05 UTC',
  ],
  [
    '2026-11-20',
    new Date('2026-11-20T18:00:00.000Z'),
    '2026-11-20 is not over yet; its transmission is due after midnight UTC',
  ],
  ['2026-11-20', null, '2026-11-20 is not over yet; its transmission is due after midnight UTC'],
  ['2026-11-21', AFTER_MIDNIGHT, '2026-11-21 has not begun; a day is archived after it has ended'],
  ['2026-11-17', AFTER_MIDNIGHT, 'there is no transmission for 2026-11-17'],
  [
    '2026-11-19',
    AFTER_MIDNIGHT,
    '2026-11-19 has not been archived yet; it is due at 2026-11-21 00:05 UTC',
  ],
  ['2026-11-19', null, '2026-11-19 has not been archived yet'],
  ['2026-11-15', AFTER_MIDNIGHT, '2026-11-15 was before the first day of this board, 2026-11-16'],
  ['2026-02-30', AFTER_MIDNIGHT, 'the address does not contain a valid date'],
  ['tomorrow', null, 'the address does not contain a valid date'],
])('a request for %s with the next run at %s gets the reason: %s', (day, nextRun, sentence) => {
  expect(whyNotArchived(day, { ...PROGRESS, nextRun })).toBe(sentence)
})

test('for a past day that a mirror lacks, the reason states only that', () => {
  const progress = { ...PROGRESS, nextRun: null, isMirror: true, firstDay: null }
  for (const day of ['2026-11-17', '2026-11-19'])
    expect(whyNotArchived(day, progress)).toBe(`this mirror has no transmission for ${day}`)
})

describe('a board without an archived day', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({}, clockAt('2026-11-20T12:00:00.000Z'))
  })

  test('it promises no transmission of a day before it began', async () => {
    const { json } = await service.client.get('/transmissions/2026-11-19.json')
    expect(json).toMatchObject({
      error: { message: '2026-11-19 was before the first day of this board, 2026-11-20' },
    })
  })

  test.each(['/', '/transmissions', '/transmissions/2026-11-20'])(
    'the page at %s says what will happen, with an example',
    async (path) => {
      const { text } = await service.client.get(path)
      expect(text).toContain('For example, a day with 7 messages')
      expect(text).toMatch(/Next transmission (?:in|after) /)
    },
  )
})
