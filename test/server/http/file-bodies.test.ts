// Tests files and long texts as response bodies: whole and in part, for many stalled clients, and with read errors (API.md 1.9, 9.5).
// Rules: API.md 1.9.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../../../server/http/answer.ts'
import { sendRaw } from '../../support/raw.ts'
import { temporaryFolder } from '../../support/release.ts'
import { inFull } from '../../support/runs.ts'
import { openStalled } from '../../support/stalled.ts'
import { until } from '../../support/time.ts'
import { MIB, request, served } from './served.ts'

const server = served()
const { serve, open } = server

describe('file bodies', () => {
  const FILE_BYTES = 16 * MIB
  let folder: string
  let path: string
  beforeAll(() => {
    folder = temporaryFolder()
    path = join(folder, 'file')
    writeFileSync(path, Buffer.alloc(FILE_BYTES, 'abcdefg'))
  })

  const range = (start: number, length: number): Answer => ({
    status: 200,
    headers: [],
    body: { path, start, length },
  })

  test.each([
    [0, 0],
    [0, 1],
    [5, 300_000],
    [1, FILE_BYTES - 1],
    [FILE_BYTES - 7, 7],
  ])('a range from byte %i of %i bytes arrives unchanged', async (start, length) => {
    await serve(() => range(start, length))
    const all = readFileSync(path)
    for (let i = 0; i < 3; i++) {
      const bytes = Buffer.from(await (await fetch(server.url)).arrayBuffer())
      expect(bytes.equals(all.subarray(start, start + length))).toBe(true)
    }
  })

  /** A body whose size is known only at its end. */
  const longText = (): Answer => ({
    status: 200,
    headers: [],
    body: {
      length: null,
      async *chunks() {
        for (let sent = 0; sent < FILE_BYTES; sent += MIB) yield 'x'.repeat(MIB)
      },
    },
  })
  const BODIES: [what: string, respond: () => Answer][] = [
    ['files', () => range(0, FILE_BYTES)],
    ['long texts', longText],
  ]

  inFull.each(BODIES)(
    '%s for many stalled clients leave a buffer for others',
    async (_, respond) => {
      let responses = 0
      const counted = () => {
        responses++
        return respond()
      }
      await serve(counted, { connections: 600, files: 400 })
      for (let i = 0; i < 399; i++) {
        const socket = await openStalled(server.url)
        server.sockets.push(socket)
        socket.write(request('/'))
      }
      await until(() => responses === 399)
      const whole = await fetch(server.url)
      expect((await whole.arrayBuffer()).byteLength).toBe(FILE_BYTES)
    },
  )

  test.each(BODIES)('%s over the cap get 503 until another one finishes', async (_, respond) => {
    await serve(respond, { files: 2 })
    const [first] = await Promise.all([open(), open()])
    for (const socket of server.sockets) socket.write(request('/'))
    await until(() => server.sockets.every((socket) => socket.readableLength > 0))
    const rejected = await fetch(server.url)
    expect(rejected.status).toBe(503)
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await rejected.json()).toMatchObject({ error: { code: 'overloaded' } })
    first.destroy()
    await until(
      async () => (await (await fetch(server.url)).arrayBuffer()).byteLength === FILE_BYTES,
    )
  })

  test('one client that reads slowly leaves files for an origin that reads few', async () => {
    await serve(() => range(0, FILE_BYTES), { files: 8, reservedFiles: 2 })
    for (let i = 0; i < 8; i++) (await open()).write(request('/'))
    await until(() => server.sockets.every((socket) => socket.readableLength > 0))
    expect((await fetch(server.url)).status).toBe(503)
    const other = await sendRaw(
      server.url,
      request('/', 'Connection: close\r\n'),
      'close',
      undefined,
      '127.0.0.2',
    )
    expect([other.status, other.body.length]).toEqual([200, FILE_BYTES])
  })

  test('the cap also holds for files that are ready at the same time', async () => {
    const ready: ((answer: Answer) => void)[] = []
    await serve(() => new Promise((resolve) => ready.push(resolve)), { files: 1 })
    const both = [fetch(server.url), fetch(server.url)]
    await until(() => ready.length === both.length)
    for (const resolve of ready) resolve(range(0, MIB))
    const answers = await Promise.all(both)
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 503])
    for (const answer of answers) await answer.bytes()
  })

  test('a remote file that is ready after its client has left is cancelled', async () => {
    let isCancelled = false
    const stream = new ReadableStream<Uint8Array>({
      cancel: () => {
        isCancelled = true
      },
    })
    let leave: ((answer: Answer) => void) | undefined
    let isAbandoned = () => false
    await serve((call) => {
      isAbandoned = () => call.isAbandoned
      return new Promise((resolve) => {
        leave = resolve
      })
    })
    const socket = await open()
    socket.write(request('/'))
    await until(() => leave !== undefined)
    socket.resetAndDestroy()
    await until(isAbandoned)
    leave?.({ ...range(0, 1), body: { stream, length: 1 } })
    await until(() => isCancelled)
  })

  test('a remote file of which only the headers are requested is cancelled', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const stream = new ReadableStream<Uint8Array>({ cancel: () => resolve() })
    await serve(() => ({ ...range(0, 1), body: { stream, length: 1 } }))
    await fetch(server.url, { method: 'HEAD' })
    await promise
  })

  test('a file that is missing or ends early closes the connection and is reported', async () => {
    await serve(({ pathname }) =>
      pathname === '/short'
        ? range(10, FILE_BYTES)
        : { ...range(0, 9), body: { path: join(folder, 'missing'), start: 0, length: 9 } },
    )
    for (const name of ['/short', '/missing']) {
      const { closed: isClosed } = await sendRaw(server.url, request(name))
      expect(isClosed).toBe(true)
    }
    expect(server.logged.map(String)).toEqual([
      expect.stringContaining('ended 10 bytes early'),
      expect.stringContaining('ENOENT'),
    ])
  })
})
