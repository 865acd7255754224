// Decoding in threads: the same answers as in one, in whatever order they come.
import { expect, test } from 'vitest'
import { openDecoderPool } from '../../pipeline/decoder-pool.ts'
import { decodeWav, SAMPLE_RATE, writeWav } from '../../protocol/index.ts'
import { ACTIVE, QUIET, wavOf } from './render/days.ts'

test('each file gets its own decoding, though there are more files than threads', async () => {
  const pool = openDecoderPool(2)
  const silence = writeWav(new Int16Array(20 * SAMPLE_RATE))
  const files = [wavOf(ACTIVE), silence, wavOf(QUIET), new Uint8Array(3)]
  const decodings = await Promise.all(files.map(pool.decode))
  expect(decodings).toEqual(files.map((file) => decodeWav(file)))
  await pool.close()
})

test('closing ends the threads, and an unused pool has none', async () => {
  const pool = openDecoderPool(2)
  await pool.close()
  const used = openDecoderPool(1)
  await used.decode(new Uint8Array(3))
  await used.close()
})
