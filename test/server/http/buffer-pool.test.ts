// Tests the memory that responses share: one block of 32 MiB, however many clients read slowly.
// Rules: API.md 1.9.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BufferPool, type PooledBuffer, SMALL_COUNT } from '../../../server/http/buffer-pool.ts'
import { MIB } from './served.ts'

const LARGE_COUNT = 32
const COUNT = LARGE_COUNT + SMALL_COUNT

let pool: BufferPool
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  pool = new BufferPool()
})
afterEach(() => void vi.useRealTimers())

const takeAll = (): Promise<PooledBuffer[]> =>
  Promise.all(Array.from({ length: COUNT }, () => pool.take(MIB)))

test('all buffers are different parts of one block of 32 MiB', async () => {
  const buffers = (await takeAll()).map(({ bytes }) => bytes)
  expect(new Set(buffers.map(({ buffer }) => buffer)).size).toBe(1)
  expect(buffers[0]?.buffer.byteLength).toBe(32 * MIB)
  expect(new Set(buffers.map(({ byteOffset }) => byteOffset)).size).toBe(COUNT)
  expect(buffers.reduce((sum, { length }) => sum + length, 0)).toBe(32 * MIB)
})

test('whoever finds no free buffer waits for the next one that is released, in order of arrival', async () => {
  const buffers = await takeAll()
  const served: number[] = []
  const waiting = [1, 2].map((n) =>
    pool.take(1).then((buffer) => {
      served.push(n)
      return buffer
    }),
  )
  await new Promise(setImmediate)
  expect(served).toEqual([])
  buffers[7]?.release()
  expect((await waiting[0])?.bytes).toBe(buffers[7]?.bytes)
  expect(served).toEqual([1])
  buffers[5]?.release()
  await waiting[1]
})

test('the last buffer released is the first reused, and the block is freed after ten idle seconds', async () => {
  const first = await pool.take(1)
  first.release()
  const again = await pool.take(1)
  expect(again.bytes).toBe(first.bytes)
  const block = again.bytes.buffer as ArrayBuffer
  vi.advanceTimersByTime(60_000)
  expect(block.detached).toBe(false)
  again.release()
  vi.advanceTimersByTime(9_999)
  expect(block.detached).toBe(false)
  vi.advanceTimersByTime(1)
  expect(block.detached).toBe(true)
  expect((await pool.take(1)).bytes.length).toBeGreaterThan(0)
})
