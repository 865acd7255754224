// The number of slots needed to decode a day: for every prefix, by the list decoder, and by the receiver for days of every size.
// Rules: WRITING.md 4.1.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { guessedBitsAfter, secondsAfter, slotsNeeded } from '../../../archive/drawing/enough.ts'
import type { Snapshot } from '../../../archive/format/snapshot.ts'
import { fieldsOf } from '../../../archive/format/snapshot.ts'
import { CODE_LENGTH, SLOTS, TONES } from '../../../protocol/constants.ts'
import { encodeFrame, encodeTones, SAMPLE_RATE, writeWav } from '../../../protocol/index.ts'
import { POSITION_SLOTS } from '../../../protocol/interleave.ts'
import { toneLabel } from '../../../protocol/labels.ts'
import { decodeWav } from '../../../protocol/receiver/index.ts'
import { readPaths } from '../../../protocol/receiver/outcome.ts'
import { ListDecoder } from '../../../protocol/receiver/polar-list.ts'
import {
  ACTIVE,
  INCONCLUSIVE,
  LARGEST,
  QUIET,
  samplesOf,
  snapshotOf,
} from '../../pipeline/render/days.ts'
import { inFull } from '../../support/runs.ts'

/** Counters with a uniformly distributed length of 0 to 64 bits. */
const counter = fc
  .integer({ min: 0, max: 64 })
  .chain((bits) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n }))
  .map(String)

/** Days with such counters, of which a tenth were not counted. */
const randomDays: fc.Arbitrary<Snapshot> = fc
  .array(fc.oneof({ weight: 9, arbitrary: counter }, fc.constant(null)), {
    minLength: 12,
    maxLength: 12,
  })
  .map((counters) => snapshotOf(counters))

/** Whether the receiver decodes a day from its sound truncated after this many slots. */
function decodesAfter(day: Snapshot, slots: number): boolean {
  const samples = samplesOf(day).slice(0, secondsAfter(slots) * SAMPLE_RATE)
  return decodeWav(writeWav(samples)).transmissions.length === 1
}

const frameOf = (snapshot: Snapshot): Uint8Array => encodeFrame(fieldsOf(snapshot))
const slotsOf = (snapshot: Snapshot): number => slotsNeeded(frameOf(snapshot))

describe('slots needed', () => {
  it('no prefix leaves a bit to be guessed that a shorter one determines', () => {
    for (let slots = 124; slots < SLOTS; slots++) {
      const shorter = new Set(guessedBitsAfter(slots))
      expect(guessedBitsAfter(slots + 1).filter((bit) => !shorter.has(bit))).toEqual([])
    }
    expect(guessedBitsAfter(SLOTS)).toEqual([])
  })

  it('a quiet day needs fewer slots than a busy one, and the day of the largest counters needs the most', () => {
    expect([QUIET, INCONCLUSIVE, ACTIVE, LARGEST].map(slotsOf)).toEqual([124, 124, 169, 191])
    expect(secondsAfter(169)).toBeCloseTo(18.04, 2)
  })
})

const decoder = new ListDecoder(32)

/** Whether the list decoder decodes a frame from the noise-free tones of the first slots. */
function decodesFromTones(frame: Uint8Array, slots: number): boolean {
  const tones = encodeTones(frame)
  const metrics = new Float32Array(CODE_LENGTH * TONES)
  for (const [i, slot] of POSITION_SLOTS.entries()) {
    if (slot >= slots) continue
    metrics.fill(-50, i * TONES, (i + 1) * TONES)
    metrics[i * TONES + toneLabel(tones[slot]!, i)] = 0
  }
  decoder.decode(metrics, Array(7).fill(32))
  return readPaths(decoder, 32).kind === 'frame'
}

describe('the receiver', () => {
  inFull(
    'the list decoder decodes noise-free tones of any day from exactly the slots needed',
    () => {
      fc.assert(
        fc.property(randomDays, (day) => {
          const enough = slotsOf(day)
          expect(decodesFromTones(frameOf(day), enough)).toBe(true)
          if (enough > 124) expect(decodesFromTones(frameOf(day), enough - 1)).toBe(false)
        }),
        { numRuns: 30 },
      )
    },
  )

  inFull.each([
    ['a quiet day', QUIET],
    ['a busy day', ACTIVE],
  ])('the sound of %s is decoded from the slots needed, and not from one fewer', (_, day) => {
    const enough = slotsOf(day)
    expect([enough, enough - 1].map((slots) => decodesAfter(day, slots))).toEqual([true, false])
  })

  inFull(
    'the receiver decodes every day from one slot more than needed, and hardly any from two slots fewer',
    () => {
      let sooner = 0
      fc.assert(
        fc.property(randomDays, (day) => {
          const enough = slotsNeeded(encodeFrame(fieldsOf(day)))
          expect(decodesAfter(day, enough + 1)).toBe(true)
          if (decodesAfter(day, enough - 2)) sooner++
        }),
        { numRuns: 15 },
      )
      // The receiver sometimes keeps a path that the ideal list drops: 6 of 1140 days, so 4 of 15 in 1 of 900 000 runs.
      expect(sooner).toBeLessThan(4)
    },
    240_000,
  )
})
