// Properties of the tables of V1. The hashes of two tone lists in vectors.test.ts define what is in them.
import { expect, test } from 'vitest'
import * as constants from '../../protocol/constants.ts'
import { reliability } from '../../protocol/polar.ts'

test('the weights of any two positions differ by far more than rounding', () => {
  const weights = Array.from({ length: 256 }, (_, i) => reliability(i)).sort((a, b) => a - b)
  const gaps = weights.slice(1).map((weight, i) => weight - weights[i]!)
  expect(Math.min(...gaps)).toBeGreaterThan(1e-3)
})

test('the tones of even slots start at 506.25 Hz, and those of odd slots end at 2690.625 Hz', () => {
  const { slotFrequency } = constants
  expect([slotFrequency(0, 0), slotFrequency(127, 272)]).toEqual([506.25, 1696.875])
  expect([slotFrequency(0, 1), slotFrequency(127, 271)]).toEqual([1500, 2690.625])
})

test('at most one sync tone coincides with another under any shift by sync periods and up to 8 tones', () => {
  const bins = (shift: number) =>
    Array.from(constants.SYNC_TONES, (tone, k) => ({
      slot: k + shift,
      bin: constants.BASE_BINS[k & 1]! + tone,
    }))
  let worst = 0
  for (let shift = 1; shift < 17; shift++) {
    for (let offset = -8; offset <= 8; offset++) {
      const unshifted = new Map(bins(0).map(({ slot, bin }) => [slot, bin]))
      const hits = bins(shift).filter(
        ({ slot, bin }) => unshifted.get(slot) === bin + offset,
      ).length
      worst = Math.max(worst, hits)
    }
  }
  expect(worst).toBe(1)
})
