// How the page that listens tells samples that were lost from samples that only arrived late.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { gapFinder } from '../../../server/pages/static/listen/session.ts'

const RATE = 48_000
const BATCH = 4096
const BATCH_MS = (BATCH / RATE) * 1000

/** Counts the lost samples, given the delay of each batch behind the time it was recorded [ms]. */
function lostWith(delays: readonly number[]): number {
  const lostBefore = gapFinder(RATE)
  return delays.reduce((sum, delay, i) => sum + lostBefore(BATCH, (i + 1) * BATCH_MS + delay), 0)
}

const steady = (batches: number, delay = 0): number[] => new Array(batches).fill(delay)

test('samples that arrive late in a burst are not lost', () => {
  const delays = fc.array(fc.double({ min: 0, max: 1000, noNaN: true }), {
    minLength: 20,
    maxLength: 20,
  })
  fc.assert(
    fc.property(delays, (late) => {
      // Each burst ends with a batch in time.
      expect(lostWith([...steady(60), ...late, ...steady(60)])).toBe(0)
    }),
  )
})

test('after a pause, as many samples were lost as it was long, and once', () => {
  const lost = lostWith([...steady(60), ...steady(200, 1500)])
  expect(lost).toBeCloseTo(1.5 * RATE, -1)
  const twice = lostWith([...steady(60), ...steady(60, 1500), ...steady(60, 2000)])
  expect(twice).toBeCloseTo(2 * RATE, -1)
})

test('losses too small to be noticed one by one are noticed together', () => {
  const losses = Array.from({ length: 10 }, (_, i) => steady(60, i * 20)).flat()
  expect(lostWith(losses)).toBeGreaterThan(0.12 * RATE)
})

test('a clock that differs by 200 ppm loses nothing in ten minutes', () => {
  expect(lostWith(Array.from({ length: 7000 }, (_, i) => i * BATCH_MS * 2e-4))).toBe(0)
})
