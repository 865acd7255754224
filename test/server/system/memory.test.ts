// Tests when the service collects garbage; what it gains is measured by npm run bench.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Collected, collectWhenIdle } from '../../../server/system/memory.ts'

const INTERVAL_MS = 1_000
const LARGE_BYTES = 200 * 1024 * 1024

/** CPU time so far [us]. */
let user: number
let resident: number
let collector: { stop(): void }
const gc = vi.fn()
const process: Collected = {
  gc: gc as unknown as Collected['gc'],
  cpuUsage: (before) => ({ user: user - (before?.user ?? 0), system: 0 }),
  rss: () => resident,
}
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  gc.mockClear()
  user = 0
  resident = LARGE_BYTES
  collector = collectWhenIdle(process, INTERVAL_MS)
})
afterEach(() => {
  collector.stop()
  vi.useRealTimers()
})

/** Passes one interval with this share of one core. */
function pass(share: number): void {
  user += share * INTERVAL_MS * 1_000
  vi.advanceTimersByTime(INTERVAL_MS)
}

test('garbage is collected once after each busy period, and never during one', () => {
  pass(0.01)
  expect(gc).toHaveBeenCalledTimes(1)
  for (const share of [0.04, 0, 0.06, 0.5, 2]) pass(share)
  expect(gc).toHaveBeenCalledTimes(1)
  for (const share of [0.04, 0.04]) pass(share)
  expect(gc).toHaveBeenCalledTimes(2)
  expect(gc).toHaveBeenLastCalledWith(expect.objectContaining({ flavor: 'last-resort' }))
})

test('a small process collects nothing', () => {
  resident = 100 * 1024 * 1024
  for (const share of [0, 1, 0]) pass(share)
  expect(gc).not.toHaveBeenCalled()
})

test('nothing is collected after the stop', () => {
  collector.stop()
  pass(0)
  expect(gc).not.toHaveBeenCalled()
})
