// Byte ranges (RFC 9110 section 14; API.md 9.5).
// Rules: API.md 9.5.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ifRangeHolds, readRange } from '../../../server/transmissions/rules.ts'

test.each([
  ['bytes=0-0', 0, 0],
  ['bytes=0-99', 0, 99],
  ['bytes=0-100', 0, 99],
  ['bytes=99-', 99, 99],
  ['bytes=10-', 10, 99],
  ['bytes=-1', 99, 99],
  ['bytes=-100', 0, 99],
  ['bytes=-101', 0, 99],
  ['bytes=5-99999999999999999999999', 5, 99],
  ['Bytes=5-6', 5, 6],
  ['bytes= 5-6 ', 5, 6],
])('the range %s of 100 bytes is %i to %i', (field, start, end) => {
  expect(readRange(field, 100)).toEqual({ start, end })
})

test.each(['bytes=100-', 'bytes=100-200', 'bytes=-0', 'bytes=99999999999999999999-'])(
  'the range %s of 100 bytes cannot be satisfied',
  (field) => {
    expect(readRange(field, 100)).toBe('unsatisfiable')
  },
)

test.each([
  undefined,
  '',
  'bytes',
  'bytes=',
  'bytes=-',
  'bytes=6-5',
  'bytes=a-b',
  'bytes=0-5,7-9',
  'bytes=0-5, 900-',
  'bytes=900-,0-5',
  'bytes=--5',
  'bytes=-5-',
  'bytes=1.5-2',
  'bytes=0x1-2',
  'bytes =0-5',
  'lines=0-5',
  '0-5',
  'bytes=0-5;',
])('the field "%s" requests the whole file', (field) => {
  expect(readRange(field, 100)).toBeNull()
})

test('for any request, the returned range lies within the file', () => {
  const part = fc.oneof(fc.nat(), fc.constantFrom('', '-', ',', ' ', '9'.repeat(40)))
  fc.assert(
    fc.property(fc.array(part, { maxLength: 5 }), fc.integer({ min: 1 }), (parts, length) => {
      const range = readRange(`bytes=${parts.join('')}`, length)
      if (range === null || range === 'unsatisfiable') return
      expect(range.start).toBeGreaterThanOrEqual(0)
      expect(range.end).toBeGreaterThanOrEqual(range.start)
      expect(range.end).toBeLessThan(length)
    }),
  )
})

test('If-Range allows a range only if the tag matches exactly', () => {
  expect(ifRangeHolds(undefined, '"a"')).toBe(true)
  expect(ifRangeHolds('"a"', '"a"')).toBe(true)
  expect(ifRangeHolds('W/"a"', '"a"')).toBe(false)
  expect(ifRangeHolds('"b"', '"a"')).toBe(false)
  expect(ifRangeHolds('Fri, 20 Nov 2026 00:00:00 GMT', '"a"')).toBe(false)
})
