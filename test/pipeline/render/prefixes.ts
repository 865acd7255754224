// Generates days of every size, and decodes prefixes of their sound.
import fc from 'fast-check'
import { secondsAfter } from '../../../archive/drawing/enough.ts'
import type { Snapshot } from '../../../archive/format/snapshot.ts'
import { SAMPLE_RATE, writeWav } from '../../../protocol/index.ts'
import { decodeWav } from '../../../protocol/receiver/index.ts'
import { samplesOf, snapshotOf } from './days.ts'

/** Counters with a uniformly distributed length of 0 to 64 bits. */
const counter = fc
  .integer({ min: 0, max: 64 })
  .chain((bits) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n }))
  .map(String)

/** Days with such counters, of which a tenth were not counted. */
export const randomDays: fc.Arbitrary<Snapshot> = fc
  .array(fc.oneof({ weight: 9, arbitrary: counter }, fc.constant(null)), {
    minLength: 12,
    maxLength: 12,
  })
  .map((counters) => snapshotOf(counters))

/** Whether the receiver decodes a day from its sound truncated after this many slots. */
export function decodesAfter(day: Snapshot, slots: number): boolean {
  const samples = samplesOf(day).slice(0, secondsAfter(slots) * SAMPLE_RATE)
  return decodeWav(writeWav(samples)).transmissions.length === 1
}
