// The tables and derived numbers of V1, compared with the hashes and figures that define them.
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import * as constants from '../../protocol/constants.ts'
import { INFORMATION_POSITIONS, reliability } from '../../protocol/polar.ts'
import { SYNC_SLOTS } from '../../protocol/sync.ts'

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

test('the permutation, the mask and the sync tones match V1', () => {
  expect(Array.from(constants.PERMUTATION.subarray(0, 8))).toEqual([
    252, 78, 121, 202, 66, 211, 89, 223,
  ])
  expect(sha256(constants.PERMUTATION)).toBe(
    'c1d288aab91a8812e991e7c0a3410be87a65aff5f7fc1057b4eb841f4563b2b6',
  )
  expect(Array.from(constants.LABEL_MASK.subarray(0, 8))).toEqual([80, 74, 91, 104, 76, 1, 68, 68])
  expect(sha256(constants.LABEL_MASK)).toBe(
    '63f154397885067a17c9721619970ac41fe4b5eb4b73320e5d045e0fee85c4b8',
  )
  expect(Array.from(constants.SYNC_TONES)).toEqual([
    14, 33, 73, 88, 28, 121, 38, 34, 46, 95, 94, 54, 96, 18, 120, 51, 56,
  ])
})

test('the information positions of the seven levels match V1', () => {
  const map = INFORMATION_POSITIONS.flatMap((positions) =>
    Array.from({ length: 256 }, (_, i) => Number(positions.includes(i))),
  )
  expect(Array.from(INFORMATION_POSITIONS[0]!.subarray(0, 8))).toEqual([
    95, 111, 119, 123, 124, 125, 126, 127,
  ])
  expect(Array.from(INFORMATION_POSITIONS[6]!.subarray(0, 8))).toEqual([
    30, 31, 45, 46, 47, 51, 53, 54,
  ])
  expect(sha256(Uint8Array.from(map))).toBe(
    'a9dc9f2c42544200d7184de6566f4250ef4a5f5df45d2bb3b6dd3d2c1033442d',
  )
})

test('the weights of any two positions differ by far more than rounding', () => {
  const weights = Array.from({ length: 256 }, (_, i) => reliability(i)).sort((a, b) => a - b)
  const gaps = weights.slice(1).map((weight, i) => weight - weights[i]!)
  expect(Math.min(...gaps)).toBeGreaterThan(1e-3)
})

test('the derived numbers match V1', () => {
  expect(constants.FRAME_BITS).toBe(848)
  expect(constants.INFORMATION_COUNTS.reduce((sum, count) => sum + count, 0)).toBe(848)
  expect(constants.SLOTS).toBe(273)
  expect(constants.TRANSMISSION_SAMPLES).toBe(1_398_720)
  expect(constants.TONE_SPACING).toBe(9.375)
  expect(Array.from(SYNC_SLOTS).slice(-2)).toEqual([255, 272])
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
