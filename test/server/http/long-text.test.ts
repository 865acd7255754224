// Tests long texts and bodies in parts: they arrive whole, and long texts take no memory but buffers.
// Rules: API.md 1.9, 2.4.
import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Answer } from '../../../server/http/answer.ts'
import type { Call } from '../../../server/http/call.ts'
import { openStalled } from '../../support/stalled.ts'
import { until } from '../../support/time.ts'
import { request, served } from './served.ts'

const server = served()
const { serve } = server

/** @param length the announced length, which may be wrong */
function longText(chunks: string[], encoding?: 'gzip', length = byteLength(chunks)): Answer {
  const body = {
    length,
    async *chunks() {
      yield* chunks
    },
  }
  const coding = encoding ? { headers: ['Content-Encoding', encoding], encoding } : { headers: [] }
  return { status: 200, body, ...coding }
}

const byteLength = (chunks: string[]) => Buffer.byteLength(chunks.join(''))

/** Characters of one to four bytes, so that some cross the end of a buffer. */
const CHUNKS = Array.from({ length: 300 }, (_, i) => `${i} ä€\u{1f41b}`.repeat((i * 37) % 701))

describe.each([undefined, 'gzip'] as const)('with Content-Encoding %s', (encoding) => {
  test('a text in chunks arrives unchanged', async () => {
    await serve(() => longText(CHUNKS, encoding))
    for (let i = 0; i < 2; i++) {
      const answer = await fetch(server.url)
      expect(await answer.text()).toBe(CHUNKS.join(''))
      expect(answer.headers.has('content-length')).toBe(encoding === undefined)
    }
    const head = await fetch(server.url, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  test('a text that ends early closes the connection and is reported', async () => {
    await serve(() => longText(CHUNKS, encoding, byteLength(CHUNKS) + 1))
    await expect(fetch(server.url).then((answer) => answer.text())).rejects.toThrow()
    expect(server.logged).toHaveLength(1)
  })

  test('a text whose client has left is read no further, and its end is not reported', async () => {
    let [read, hasEnded] = [0, false]
    // Longer than a buffer, so that its end is buffered and the next one is requested.
    const chunk = randomBytes(20_000).toString('hex')
    async function* chunksFor(call: Call) {
      try {
        for (; ; read++) {
          if (call.isAbandoned) throw new Error('the database is closed')
          yield chunk
        }
      } finally {
        hasEnded = true
      }
    }
    await serve((call) => ({
      ...longText([], encoding),
      body: { length: null, chunks: () => chunksFor(call) },
    }))
    const socket = await openStalled(server.url)
    socket.write(request('/'))
    await until(() => read > 0)
    socket.destroy()
    await until(() => hasEnded)
    await nextTurn()
    expect(server.logged).toEqual([])
  })
})
