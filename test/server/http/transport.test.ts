// What one client can take from the others: pipelining, reading nothing, connections without end, and how a stop ends them (API.md 1.9, 10.9).
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import type { Answer } from '../../../server/http/answer.ts'
import { sendRaw } from '../../support/raw.ts'
import { elapse, settled, until } from '../../support/time.ts'
import { closed, MIB, request, served, text } from './served.ts'

const at = served()
const { serve, open } = at

describe('pipelined requests', () => {
  test('pipelined requests are answered one at a time, in order', async () => {
    let running = 0
    const seen: number[] = []
    await serve(async ({ pathname }) => {
      seen.push(++running)
      await elapse(Math.random() * 3, 'answers take different times')
      running--
      return text(`<${pathname}>`)
    })
    const paths = Array.from({ length: 200 }, (_, i) => `/${i}`)
    const all = paths.map((path) => request(path)).join('')
    const { text: received } = await sendRaw(
      at.url,
      `${all}${request('/end', 'Connection: close\r\n')}`,
      10_000,
    )
    expect(received.match(/<.*?>/g)).toEqual([...paths, '/end'].map((path) => `<${path}>`))
    expect(new Set(seen)).toEqual(new Set([1]))
  })

  test.each([
    [
      'a body of a declared length',
      'Content-Length: 30\r\n',
      `GET / HTTP/1.1\r\n\r\n\r\n\r\n${'x'.repeat(8)}`,
    ],
    [
      'a body of chunks',
      'Transfer-Encoding: chunked\r\n',
      '8\r\n\r\n\r\n\r\n\r\n\r\n3\r\nabc\r\n0\r\nA: b\r\n\r\n',
    ],
  ])('requests behind %s are found, however the bytes arrive', async (_, field, body) => {
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
      socket.on('data', (piece) => {
        received += piece
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

  test('requests of clients that read nothing stay unread, and others are answered', async () => {
    let answered = 0
    const page = 'x'.repeat(100_000)
    await serve(({ pathname }) => {
      answered++
      return text(pathname === '/small' ? 'ok' : page)
    })
    const before = process.memoryUsage().rss
    for (let i = 0; i < 8; i++) (await open()).write(request('/page').repeat(1_500))
    await settled(() => answered)
    const started = performance.now()
    expect((await sendRaw(at.url, request('/small', 'Connection: close\r\n'))).body).toBe('ok')
    expect(performance.now() - started).toBeLessThan(500)
    expect(await settled(() => answered)).toBeLessThan(8 * 100)
    expect(process.memoryUsage().rss - before).toBeLessThan(40 * 1024 * 1024)
  })

  test('requests behind a rejected one are dropped', async () => {
    let answered = 0
    await serve(() => text(String(++answered)))
    const refused = 'GET / HTTP/1.1\r\nHost: a b\r\n\r\n'
    const { text: received, closed } = await sendRaw(at.url, refused + request('/'), 3_000)
    expect(received.match(/HTTP\/1\.1 [0-9]+/g)).toEqual(['HTTP/1.1 400'])
    expect({ answered, closed }).toEqual({ answered: 0, closed: true })
  })
})

describe('stalled clients', () => {
  const large = text('x'.repeat(32_000_000))

  test('a client that accepts no bytes is disconnected, even if it keeps sending', async () => {
    await serve(() => large, { stalledS: 2 })
    const socket = await open()
    socket.write(request('/').repeat(5))
    const nagging = setInterval(() => socket.write(request('/')), 300)
    await until(() => socket.closed)
    clearInterval(nagging)
  })

  test('a client that accepts some bytes stays connected', async () => {
    await serve(() => large, { stalledS: 2 })
    const socket = await open()
    socket.write(request('/', 'Connection: close\r\n'))
    let received = 0
    socket.on('data', (piece: Buffer) => {
      received += piece.length
      if (received % MIB < piece.length) socket.pause()
    })
    const reading = setInterval(() => socket.resume(), 300)
    const started = performance.now()
    await closed(socket)
    clearInterval(reading)
    expect(performance.now() - started).toBeGreaterThan(6_000)
    expect(received).toBeGreaterThan(32_000_000)
  })
})

test('a client that ends its side behind its requests gets every answer', async () => {
  await serve(async ({ pathname }) => {
    await elapse(5, 'the end of the requests arrives before the answers are ready')
    return text(`<${pathname}>`)
  })
  const socket = (await open()).resume()
  let received = ''
  socket.on('data', (piece) => {
    received += piece
  })
  socket.end(request('/first') + request('/second'))
  await closed(socket)
  expect(received.match(/<.*?>/g)).toEqual(['</first>', '</second>'])
})

test('a connection beyond the cap gets 503 with Retry-After', async () => {
  await serve(() => text('ok'), { connections: 2 })
  await open()
  await open()
  const refused = await sendRaw(at.url, request('/'), 3_000)
  expect(refused).toMatchObject({ status: 503, closed: true, reset: false })
  expect(JSON.parse(refused.body).error.code).toBe('overloaded')
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  at.sockets.pop()?.destroy()
  const ask = () => sendRaw(at.url, request('/', 'Connection: close\r\n'))
  await until(async () => (await ask()).status === 200)
})

describe('stopping the transport', () => {
  test('a stop closes idle and silent connections and half-sent heads at once', async () => {
    await serve(() => text('ok'))
    const idle = (await open()).resume()
    idle.write(request('/'))
    await once(idle, 'data')
    const silent = (await open()).resume()
    const halfSent = (await open()).resume()
    halfSent.write('GET / HT')
    // Answered after everything above has arrived.
    await sendRaw(at.url, request('/', 'Connection: close\r\n'))
    const started = performance.now()
    await Promise.all([at.transport.stop(6_000), ...[idle, silent, halfSent].map((s) => closed(s))])
    expect(performance.now() - started).toBeLessThan(500)
  })

  test('a stop lets the in-flight answer end with Connection: close', async () => {
    const inFlight: ((answer: Answer) => void)[] = []
    await serve(() => new Promise((resolve) => inFlight.push(resolve)))
    const answer = sendRaw(at.url, request('/slow').repeat(3), 5_000)
    await until(() => inFlight.length > 0)
    const stopped = at.transport.stop(6_000)
    inFlight[0]?.(text('done'))
    const { text: received, headers, body, closed } = await answer
    expect({ body, closed }).toEqual({ body: 'done', closed: true })
    expect(headers.get('connection')).toBe('close')
    expect(received.match(/HTTP\/1\.1 200/g)).toHaveLength(1)
    const started = performance.now()
    await stopped
    expect(performance.now() - started).toBeLessThan(500)
  })

  test('a stop closes connections that are still busy at its deadline', async () => {
    let isAsked = false
    await serve(() => {
      isAsked = true
      return new Promise(() => {})
    })
    const busy = (await open()).resume()
    busy.write(request('/'))
    await until(() => isAsked)
    await at.transport.stop(200)
    await until(() => busy.closed)
  })
})
