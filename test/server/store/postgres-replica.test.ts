// Tests which lag of a PostgreSQL replica keeps it from being read, with positions and a clock that the test sets.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Lag } from '../../../server/store/postgres-replica.ts'

let primary: () => Promise<bigint>
let reached: bigint
let lag: Lag
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  primary = async () => 5n
  reached = 4n
  lag = new Lag(
    () => primary(),
    async () => reached,
  )
  await lag.measure()
})
afterEach(() => vi.useRealTimers())

/** Measures again after some time, and returns whether the replica may be read. */
async function isReadAfter(ms: number): Promise<boolean> {
  vi.advanceTimersByTime(ms)
  await lag.measure()
  return lag.isSmall
}

test('a replica 4 s behind is read, and one further behind is not', async () => {
  expect(await isReadAfter(4_000)).toBe(true)
  expect(await isReadAfter(1)).toBe(false)
  reached = 5n
  expect(await isReadAfter(1_000)).toBe(true)
})

test('the lag is measured while a query to the primary waits', async () => {
  primary = () => new Promise(() => {})
  expect(await isReadAfter(4_000)).toBe(true)
  expect(await isReadAfter(1)).toBe(false)
  reached = 5n
  expect(await isReadAfter(1_000)).toBe(true)
})

test('the lag stays as it was once the primary is unreachable', async () => {
  primary = () => Promise.reject(new Error('unreachable'))
  expect(await isReadAfter(1_000)).toBe(true)
  expect(await isReadAfter(60_000)).toBe(true)
})
