// Tests that no client can starve others by pipelining or by reading nothing, and how a stop closes connections
// (API.md 1.9, OPERATING.md 2.3).
// Rules: API.md 1.9.
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import type { Answer } from '../../../server/http/answer.ts'
import { random } from '../../support/random.ts'
import { sendRaw } from '../../support/raw.ts'
import { elapse, settled, until } from '../../support/time.ts'
import { closed, MIB, request, served, text } from './served.ts'

const server = served()
const { serve, open } = server

describe('pipelined requests', () => {
  test('pipelined requests are answered one at a time, in order', async () => {
    const { uniform } = random(1)
    let running = 0
    const seen: number[] = []
    await serve(async ({ pathname }) => {
      seen.push(++running)
      await elapse(uniform() * 3, 'responses take different times')
      running--
      return text(`<${pathname}>`)
    })
    const paths = Array.from({ length: 200 }, (_, i) => `/${i}`)
    const all = paths.map((path) => request(path)).join('')
    const { text: received } = await sendRaw(
      server.url,
      `${all}${request('/end', 'Connection: close\r\n')}`,
    )
    expect(received.match(/<.*?>/g)).toEqual([...paths, '/end'].map((path) => `<${path}>`))
    expect(new Set(seen)).toEqual(new Set([1]))
  })

  test.each([
    [
      'a body with a declared length',
      'Content-Length: 30\r\n',
      `GET / HTTP/1.1\r\n\r\n\r\n\r\n${'x'.repeat(8)}`,
    ],
    [
      'a chunked body',
      'Transfer-Encoding: chunked\r\n',
      '8\r\n\r\n\r\n\r\n\r\n\r\n3\r\nabc\r\n0\r\nA: b\r\n\r\n',
    ],
  ])('requests after %s are parsed however the bytes are split', async (_, field, body) => {
    await serve(async (call) => text(`<${call.pathname} ${(await call.body(100)).length}>`))
    const bytes = [
      `POST /first HTTP/1.1\r\nHost: a\r\n${field}\r\n${body}`,
      request('/second'),
      '\r\n\r\n',
      request('/third', 'Connection: close\r\n'),
    ].join('')
    for (const size of [1, 2, 3, 7, 50, bytes.length]) {
      const socket = (await open()).resume().setNoDelay(true)
      let received = ''
      socket.on('data', (chunk) => {
        received += chunk
      })
      for (let at = 0; at < bytes.length; at += size) {
        socket.write(bytes.slice(at, at + size))
        await new Promise(setImmediate)
      }
      await closed(socket)
      const length = field.startsWith('Content') ? 30 : 11
      expect(received.match(/<.*?>/g)).toEqual([`</first ${length}>`, '</second 0>', '</third 0>'])
    }
  })

  test('pipelined requests of clients that read nothing wait unread, and other clients are served', async () => {
    let responses = 0
    const page = 'x'.repeat(100_000)
    await serve(({ pathname }) => {
      responses++
      return text(pathname === '/small' ? 'ok' : page)
    })
    for (let i = 0; i < 8; i++) (await open()).write(request('/page').repeat(1_500))
    await settled(() => responses)
    expect((await sendRaw(server.url, request('/small', 'Connection: close\r\n'))).body).toBe('ok')
    expect(await settled(() => responses)).toBeLessThan(8 * 100)
  })

  test('requests after a rejected one are dropped', async () => {
    let responses = 0
    await serve(() => text(String(++responses)))
    const rejected = 'GET / HTTP/1.1\r\nHost: a b\r\n\r\n'
    const { text: received, closed } = await sendRaw(server.url, rejected + request('/'))
    expect(received.match(/HTTP\/1\.1 [0-9]+/g)).toEqual(['HTTP/1.1 400'])
    expect({ responses, closed }).toEqual({ responses: 0, closed: true })
  })
})

describe('stalled clients', () => {
  const large = text('x'.repeat(32 * MIB))
  /** More than the buffers of both sockets hold, so that the server can send again. */
  const READ_BYTES = 8 * MIB

  test('a client that accepts no bytes is disconnected, even if it keeps sending', async () => {
    await serve(() => large, { stalledS: 0.2 })
    const socket = await open()
    socket.write(request('/').repeat(5))
    await until(() => {
      socket.write(request('/'))
      return socket.closed
    }, 30_000)
  })

  test('a client that accepts some bytes in each interval stays connected', async () => {
    await serve(() => large, { stalledS: 2 })
    const socket = await open()
    socket.write(request('/', 'Connection: close\r\n'))
    let received = 0
    let allowed = READ_BYTES
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (received >= allowed) socket.pause()
    })
    for (; allowed < large.body.length; allowed += READ_BYTES) {
      socket.resume()
      await until(() => received >= allowed)
      await elapse(700, 'the server sees that the client accepts nothing for a while')
    }
    socket.resume()
    await closed(socket)
    expect(received).toBeGreaterThan(large.body.length)
  })

  test('a response that takes long to make does not count as stalled', async () => {
    await serve(() => elapse(500, 'longer than a client may stall').then(() => text('ok')), {
      stalledS: 0.2,
    })
    expect((await sendRaw(server.url, request('/', 'Connection: close\r\n'))).body).toBe('ok')
  })
})

test('a client that ends its side after its requests gets every response', async () => {
  await serve(async ({ pathname }) => {
    await elapse(5, 'the end of the requests arrives before the responses are ready')
    return text(`<${pathname}>`)
  })
  const socket = (await open()).resume()
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.end(request('/first') + request('/second'))
  await closed(socket)
  expect(received.match(/<.*?>/g)).toEqual(['</first>', '</second>'])
})

describe('responses that cannot be sent', () => {
  const invalidHeader: Answer = { ...text('ok'), headers: ['A', '\u0001'] }
  const noBytes = { ...text('ok'), body: 5 as unknown as string }

  test.each([
    ['an invalid header', invalidHeader],
    ['a body that cannot be compressed', { ...noBytes, encoding: 'gzip' } as const],
  ])('%s is logged and answered with 500', async (_, answer) => {
    await serve(({ pathname }) => (pathname === '/later' ? Promise.resolve(answer) : answer))
    for (const path of ['/', '/later']) {
      const failed = await sendRaw(server.url, request(path))
      expect(failed).toMatchObject({ status: 500, closed: true })
      expect(JSON.parse(failed.body).error.code).toBe('internal_error')
    }
    expect(server.logged).toEqual([expect.any(TypeError), expect.any(TypeError)])
  })

  test('a body that fails after the head was written is logged, and the connection is closed', async () => {
    await serve(() => noBytes)
    expect(await sendRaw(server.url, request('/'))).toMatchObject({ text: '', closed: true })
    expect(server.logged).toEqual([expect.any(TypeError)])
  })
})

describe('stopping the transport', () => {
  /** A stop that ends did not wait for this, which is longer than a test may take [ms]. */
  const NEVER_MS = 600_000

  test('a stop closes idle and silent connections and half-sent heads without waiting for its deadline', async () => {
    await serve(() => text('ok'))
    const idle = (await open()).resume()
    idle.write(request('/'))
    await once(idle, 'data')
    const silent = (await open()).resume()
    const halfSent = (await open()).resume()
    halfSent.write('GET / HT')
    // Its response comes after everything above has arrived.
    await sendRaw(server.url, request('/', 'Connection: close\r\n'))
    await Promise.all([
      server.transport.stop(NEVER_MS),
      ...[idle, silent, halfSent].map((s) => closed(s)),
    ])
  })

  test('a stop finishes the response in flight with Connection: close', async () => {
    const inFlight: ((answer: Answer) => void)[] = []
    await serve(() => new Promise((resolve) => inFlight.push(resolve)))
    const answer = sendRaw(server.url, request('/slow').repeat(3))
    await until(() => inFlight.length > 0)
    const stopped = server.transport.stop(NEVER_MS)
    inFlight[0]?.(text('done'))
    const { text: received, headers, body, closed } = await answer
    expect({ body, closed }).toEqual({ body: 'done', closed: true })
    expect(headers.get('connection')).toBe('close')
    expect(received.match(/HTTP\/1\.1 200/g)).toHaveLength(1)
    await stopped
  })

  test('a stop closes connections that are still busy at its deadline', async () => {
    let hasRequest = false
    await serve(() => {
      hasRequest = true
      return new Promise(() => {})
    })
    const busy = (await open()).resume()
    busy.write(request('/'))
    await until(() => hasRequest)
    await server.transport.stop(200)
    await until(() => busy.closed)
  })
})
