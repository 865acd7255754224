// The verdict on a message in one sentence: its place, and when it was sealed.
// Rules: COMMANDS.md 3.2.
import { expect, test } from 'vitest'
import { keptSentence } from '../../../archive/verify/receipt-verdict.ts'

const kept = (place: number, count: number, sealedAt = '2026-11-24T00:05:09.412Z') =>
  keptSentence({
    day: '2026-11-23',
    place: BigInt(place),
    count: BigInt(count),
    sealedAt,
    signer: 'board.example',
  })

test('a kept promise states the place of the message, the time and the signer', () => {
  expect(kept(6, 21)).toBe(
    'This message is the 6th of 21 in 2026-11-23, sealed at 00:05:09 UTC and signed by board.example.',
  )
})

test.each('1st 2nd 3rd 4th 11th 12th 13th 21st 112th 300002nd'.split(' '))(
  'a place is the %s',
  (ordinal) => {
    expect(kept(Number.parseInt(ordinal, 10), 400_000)).toContain(`is the ${ordinal} of 400000 in`)
  },
)

test('the only message of a day has no number', () => {
  expect(kept(1, 1)).toContain('This message is the only one in 2026-11-23, sealed')
})

test('a day that was sealed later than on the next day states the date', () => {
  expect(kept(1, 2, '2026-12-02T10:00:00.000Z')).toContain('sealed at 10:00:00 UTC on 2026-12-02')
})
