// The calendar: which texts are days, and the order of days.
// Rules: FORMAT.md 1.2.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { dayOf, dayStart, isDay, nextDay, previousDay } from '../../../archive/format/calendar.ts'

const anyDay = fc
  .date({ min: new Date('1970-01-01'), max: new Date('2149-06-06'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))

it.each(['2026-11-19', '2024-02-29', '2000-02-29', '1970-01-01', '2149-06-06', '9999-12-31'])(
  '%s is a day',
  (text) => {
    expect(isDay(text)).toBe(true)
  },
)

it.each([
  ['', 'nothing'],
  ['2026-02-29', 'no leap year'],
  ['1900-02-29', 'no leap year either'],
  ['2026-11-31', 'November has 30'],
  ['2026-13-01', 'no month'],
  ['2026-00-10', 'no month'],
  ['2026-11-00', 'no day'],
  ['2026-1-1', 'too short'],
  ['2026-11-19 ', 'a space'],
  [' 2026-11-19', 'a space'],
  ['2026-11-19\n', 'a newline'],
  ['+2026-11-19', 'a sign'],
  ['-2026-11-19', 'a sign'],
  ['+012026-11-19', 'a long year'],
  ['2026/11/19', 'slashes'],
  ['20261119', 'no hyphens'],
  ['2026-11-19T00:00:00.000Z', 'an instant'],
  ['２０２６-11-19', 'other digits'],
  ['..', 'a path'],
])('%j is not a day: %s', (text) => {
  expect(isDay(text)).toBe(false)
})

it('the next and previous day are right across months, years and leap days', () => {
  expect(nextDay('2026-12-31')).toBe('2027-01-01')
  expect(previousDay('2024-03-01')).toBe('2024-02-29')
  fc.assert(
    fc.property(anyDay, (day) => {
      expect(previousDay(nextDay(day))).toBe(day)
      expect(dayStart(nextDay(day)) - dayStart(day)).toBe(86_400_000)
      expect(dayOf(dayStart(day))).toBe(day)
      expect(dayOf(dayStart(nextDay(day)) - 1)).toBe(day)
    }),
  )
})
