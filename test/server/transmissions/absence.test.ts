// Explanations for days that are not archived (API.md 9.4).
import { expect, test } from 'vitest'
import { whyNotArchived } from '../../../server/transmissions/rules.ts'

const NOON = Date.parse('2026-11-20T12:00:00.000Z')
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
  ['2026-02-30', AFTER_MIDNIGHT, 'the address does not contain a valid date'],
  ['tomorrow', null, 'the address does not contain a valid date'],
])('a request for %s with the next run at %s gets the reason: %s', (day, nextRun, sentence) => {
  const progress = { now: NOON, newest: '2026-11-18', nextRun, isMirror: false }
  expect(whyNotArchived(day, progress)).toBe(sentence)
})

test('for a past day that a mirror lacks, the reason states only that', () => {
  const progress = { now: NOON, newest: '2026-11-18', nextRun: null, isMirror: true }
  for (const day of ['2026-11-17', '2026-11-19'])
    expect(whyNotArchived(day, progress)).toBe(`this mirror has no transmission for ${day}`)
})
