// What a reader is told of a day that is not archived.
import { expect, test } from 'vitest'
import { whyNotArchived } from '../../../server/transmissions/rules.ts'

const NOON = Date.parse('2026-11-20T12:00:00.000Z')
const AFTER_MIDNIGHT = new Date('2026-11-21T00:05:00.000Z')

test.each([
  [
    '2026-11-20',
    AFTER_MIDNIGHT,
    '2026-11-20 is not over; its transmission is due 2026-11-21 00:05 UTC',
  ],
  [
    '2026-11-20',
    new Date('2026-11-20T18:00:00.000Z'),
    '2026-11-20 is not over; its transmission is due some time after midnight UTC',
  ],
  [
    '2026-11-20',
    null,
    '2026-11-20 is not over; its transmission is due some time after midnight UTC',
  ],
  ['2026-11-21', AFTER_MIDNIGHT, '2026-11-21 has not begun; a transmission is made after its day'],
  ['2026-11-17', AFTER_MIDNIGHT, 'there is no transmission of 2026-11-17'],
  ['2026-11-19', AFTER_MIDNIGHT, '2026-11-19 has not been made; it is due at 2026-11-21 00:05 UTC'],
  ['2026-11-19', null, '2026-11-19 has not been made yet'],
  ['2026-02-30', AFTER_MIDNIGHT, 'the address names no day of the calendar'],
  ['tomorrow', null, 'the address names no day of the calendar'],
])('a request for %s with the next run at %s gets the reason: %s', (day, nextRun, sentence) => {
  const progress = { now: NOON, newest: '2026-11-18', nextRun, isMirror: false }
  expect(whyNotArchived(day, progress)).toBe(sentence)
})

test('of a past day that a mirror lacks nothing more is stated', () => {
  const progress = { now: NOON, newest: '2026-11-18', nextRun: null, isMirror: true }
  for (const day of ['2026-11-17', '2026-11-19'])
    expect(whyNotArchived(day, progress)).toBe(`this mirror has no transmission of ${day}`)
})
