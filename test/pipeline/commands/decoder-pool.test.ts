// Tests that decoding on several threads gives the same results as on one.
// Rules: COMMANDS.md 3.1.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { openDecoderPool } from '../../../pipeline/commands/decoder-pool.ts'
import { SAMPLE_RATE, writeWav } from '../../../protocol/index.ts'
import { decodeWav } from '../../../protocol/receiver/index.ts'
import { inFull } from '../../support/runs.ts'
import { ACTIVE, QUIET, wavOf } from '../render/days.ts'

inFull('each file gets its own decoding when there are more files than threads', async () => {
  const pool = openDecoderPool(2)
  const silence = writeWav(new Int16Array(20 * SAMPLE_RATE))
  const files = [wavOf(ACTIVE), silence, wavOf(QUIET), new Uint8Array(3)]
  const decodings = await Promise.all(files.map(pool.decode))
  expect(decodings).toEqual(files.map((file) => decodeWav(file)))
  await pool.close()
})

test('threads are started on demand, and closing the pool terminates them', async () => {
  const threads: Worker[] = []
  const note = (message: unknown) => threads.push((message as { worker: Worker }).worker)
  subscribe('worker_threads', note)
  try {
    await openDecoderPool(2).close()
    const single = openDecoderPool(1)
    await single.decode(new Uint8Array(3))
    await single.close()
    expect(threads).toEqual([])
    const pool = openDecoderPool(2)
    await pool.decode(new Uint8Array(3))
    expect(threads).toHaveLength(1)
    await pool.close()
    // A terminated worker has the id -1.
    expect(threads[0]?.threadId).toBe(-1)
  } finally {
    unsubscribe('worker_threads', note)
  }
})

test('a worker that dies fails the files that it has, and is replaced', async () => {
  const pool = openDecoderPool(2)
  await expect(pool.decode(null as unknown as Uint8Array)).rejects.toThrow()
  await expect(pool.decode(new Uint8Array(3))).resolves.toEqual(decodeWav(new Uint8Array(3)))
  await pool.close()
})
