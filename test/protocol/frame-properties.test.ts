// Property tests of the frame.
// Rules: FORMAT.md 7.1.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packBits, unpackBits } from '../../protocol/bits.ts'
import { crc32 } from '../../protocol/crc.ts'
import { dayFromNumber } from '../../protocol/day.ts'
import {
  COUNTER_NAMES,
  concludeDay,
  type DayFields,
  decodeFrame,
  encodeFrame,
  ProtocolError,
} from '../../protocol/index.ts'

const counter = fc.option(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), { freq: 8 })
const days: fc.Arbitrary<DayFields> = fc
  .record({
    number: fc.nat(0xffff),
    counts: fc.oneof(
      fc.array(counter, { minLength: 12, maxLength: 12 }),
      fc.array(fc.bigInt({ min: 0n, max: 2n }), { minLength: 12, maxLength: 12 }),
    ),
    coverage: fc.constantFrom('none' as const, 'partial' as const, 'complete' as const),
    clock: fc.constantFrom('unverified' as const, 'ok' as const, 'stepped' as const),
  })
  .map(({ number, counts, ...flags }) => {
    const entries = COUNTER_NAMES.map((name, i) => [name, counts[i]!])
    const known = { counters: Object.fromEntries(entries), ...flags }
    return { day: dayFromNumber(number), ...known, conclusion: concludeDay(known) }
  })

function withChecksum(content: Uint8Array): Uint8Array {
  const frame = new Uint8Array(106)
  frame.set(content)
  new DataView(frame.buffer).setUint32(102, crc32(content))
  return frame
}

test('a frame decodes to the day that it was encoded from', () => {
  fc.assert(
    fc.property(days, (fields) => {
      expect(decodeFrame(encodeFrame(fields))).toEqual(fields)
    }),
    { numRuns: 2000 },
  )
})

test('a frame with any one bit flipped is rejected', () => {
  fc.assert(
    fc.property(days, fc.nat(847), (fields, at) => {
      const bits = unpackBits(encodeFrame(fields))
      bits[at]! ^= 1
      expect(() => decodeFrame(packBits(bits))).toThrow(ProtocolError)
    }),
    { numRuns: 2000 },
  )
})

test('a frame with a valid checksum decodes to a day that encodes to the same bytes, or is an invalid_frame', () => {
  const heads = fc.tuple(
    fc.constantFrom(0x10, 0x11, 0x12, 0x13),
    fc.uint8Array({ minLength: 101, maxLength: 101 }),
  )
  fc.assert(
    fc.property(
      heads,
      fc.constantFrom(0, 1, 2, 3),
      fc.boolean(),
      ([flags, rest], conclusion, whole) => {
        const content = Uint8Array.of(flags, ...rest)
        content[5] = conclusion
        if (whole) content.set([0xff, 0xf0 | conclusion], 3)
        const frame = withChecksum(content)
        try {
          expect(encodeFrame(decodeFrame(frame))).toEqual(frame)
        } catch (error) {
          expect(error).toMatchObject({ name: 'ProtocolError', code: 'invalid_frame' })
        }
      },
    ),
    { numRuns: 5000 },
  )
})
