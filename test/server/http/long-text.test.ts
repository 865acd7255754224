// Long texts, and bytes in parts, arrive whole; long texts hold no more memory than their buffers (API.md 1.9, 2.4).
import { expect, test } from 'vitest'
import type { Answer } from '../../../server/http/answer.ts'
import { retainedBytes } from '../../support/memory.ts'
import { openStalled } from '../../support/stalled.ts'
import { until } from '../../support/time.ts'
import { MIB, request, served } from './served.ts'

const at = served()
const { serve } = at

const broken: unknown[] = []

/** @param length that is promised */
function longText(chunks: string[], encoding?: 'gzip', length = byteLength(chunks)): Answer {
  const body = {
    length,
    async *chunks() {
      yield* chunks
    },
    onBroken: (error: unknown) => broken.push(error),
  }
  const coding = encoding ? { headers: ['Content-Encoding', encoding], encoding } : { headers: [] }
  return { status: 200, body, ...coding }
}

const byteLength = (chunks: string[]) => Buffer.byteLength(chunks.join(''))

/** Characters of one to four bytes, so that one is cut wherever a buffer ends. */
const PIECES = Array.from({ length: 300 }, (_, i) => `${i} ä€\u{1f41b}`.repeat((i * 37) % 701))

test.each([undefined, 'gzip'] as const)(
  'a text in chunks arrives unchanged with Content-Encoding %s',
  async (encoding) => {
    await serve(() => longText(PIECES, encoding))
    for (let i = 0; i < 2; i++) {
      const answer = await fetch(at.url)
      expect(await answer.text()).toBe(PIECES.join(''))
      expect(answer.headers.has('content-length')).toBe(encoding === undefined)
    }
    const head = await fetch(at.url, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  },
)

test.each([undefined, 'gzip'] as const)(
  'bytes in parts arrive as one body with Content-Encoding %s, and not at all for HEAD',
  async (encoding) => {
    const parts = PIECES.slice(0, 9).map((piece) => Buffer.from(piece))
    const whole = Buffer.concat(parts)
    const coding = encoding
      ? { headers: ['Content-Encoding', encoding], encoding }
      : { headers: [] }
    await serve(() => ({ status: 200, body: { length: whole.length, parts }, ...coding }))
    for (let i = 0; i < 2; i++) {
      const answer = await fetch(at.url)
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(whole)
      if (!encoding) expect(answer.headers.get('content-length')).toBe(String(whole.length))
    }
    const head = await fetch(at.url, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  },
)

test.each([undefined, 'gzip'] as const)(
  'a text that ends early closes the connection and is reported, with Content-Encoding %s',
  async (encoding) => {
    await serve(() => longText(PIECES, encoding, byteLength(PIECES) + 1))
    await expect(fetch(at.url).then((answer) => answer.text())).rejects.toThrow()
    expect(broken.splice(0)).toHaveLength(1)
  },
)

test('long texts for many stalled clients share the buffers and leave one for another client', async () => {
  const piece = 'x'.repeat(16 * 1024)
  await serve(() => longText(Array(256).fill(piece)), { connections: 500, files: 400 })
  const before = retainedBytes()
  for (let i = 0; i < 300; i++) {
    const socket = await openStalled(at.url)
    at.sockets.push(socket)
    socket.write(request('/'))
  }
  expect((await (await fetch(at.url)).text()).length).toBe(256 * piece.length)
  expect(retainedBytes() - before).toBeLessThan(48 * MIB)
})

test('a text beyond the cap gets 503 until another one ends', async () => {
  const piece = 'x'.repeat(MIB)
  await serve(() => longText(Array(32).fill(piece)), { files: 1 })
  const reading = await fetch(at.url)
  expect((await fetch(at.url)).status).toBe(503)
  await reading.text()
  await until(async () => (await fetch(at.url)).status === 200)
})
