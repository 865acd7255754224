// One exchange with a server that is slow, breaks off, upgrades, closes kept connections or sends too much.
// Rules: FORMAT.md 19.3.
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { bytesOf } from '../../../archive/http/body.ts'
import {
  type ExchangeOptions,
  exchange,
  type FetchedAnswer,
  startTimer,
} from '../../../archive/http/exchange.ts'
import { listen } from '../../support/listen.ts'
import { IN_FULL } from '../../support/runs.ts'
import { stallClock } from '../../support/stall-clock.ts'
import { elapse, until } from '../../support/time.ts'

/** The open connections to the server of the test. */
let sockets: ReadonlySet<Socket>

async function open(server: Server): Promise<string> {
  const listening = await listen(server)
  sockets = listening.sockets
  return `${listening.url}/`
}

const serve = (handle: RequestListener) => open(createHttpServer(handle))

/** A server that sends these bytes for each request. */
const raw = (bytes: string | Buffer, then: (socket: Socket) => void = () => {}) =>
  open(
    createServer((socket) =>
      socket.on('data', () => {
        socket.write(bytes)
        then(socket)
      }),
    ),
  )

const get = (url: string, options: Partial<ExchangeOptions> = {}) =>
  exchange({ url }, { stallMs: 30_000, startTimer, ...options })

async function textOf(answer: FetchedAnswer): Promise<string> {
  const bytes = await bytesOf(answer)
  answer.close()
  return Buffer.from(bytes).toString()
}

describe('the end of an answer', () => {
  test.each(['HTTP/1.1', ...(IN_FULL ? ['HTTP/1.0'] : [])])(
    'a large body of an %s server that closes the connection is read at the speed of its reader',
    async (version) => {
      const body = Buffer.alloc(3_000_000, 'x')
      const head = `${version} 200 OK\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n`
      const url = await raw(Buffer.concat([Buffer.from(head), body]), (socket) => socket.end())
      for (let pass = 0; pass < 20; pass += 1) {
        let length = 0
        for await (const chunk of (await get(url)).chunks) {
          length += chunk.length
          if (pass % 2 === 0) await elapse(1, 'a slow reader, for whom the connection is paused')
        }
        expect(length).toBe(body.length)
      }
    },
  )

  test.each([
    ['a Content-Length', 'content-length: 100\r\n\r\nabc'],
    ['chunks', 'transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n'],
    [
      'a gzip member',
      `content-encoding: gzip\r\n\r\n${gzipSync('abc').toString('latin1').slice(0, -4)}`,
    ],
  ])('an answer with %s that breaks off is a failure', async (_, rest) => {
    const url = await raw(Buffer.from(`HTTP/1.1 200 OK\r\n${rest}`, 'latin1'), (socket) =>
      socket.end(),
    )
    const answer = await get(url)
    await expect(textOf(answer)).rejects.toMatchObject({
      name: 'FetchFailure',
      code: 'unreachable',
      message: expect.stringMatching(/^the answer (ends early|cannot be decompressed) \(.*\)$/),
    })
  })

  test('a body without length ends with the connection', async () => {
    const url = await raw('HTTP/1.0 200 OK\r\n\r\nabc', (socket) => socket.end())
    expect(await textOf(await get(url))).toBe('abc')
  })

  test.each([
    [
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n',
      'no answer',
    ],
    ['ICY 200 OK\r\n\r\n', 'no valid HTTP answer'],
    [`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`, 'no valid HTTP answer'],
    ['', 'no answer'],
  ])('%j is a failure with one line', async (bytes, message) => {
    const url = await raw(bytes, (socket) => socket.end())
    await expect(get(url)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(new RegExp(`^${message} \\(.+\\)$`)),
    })
  })

  test('interim answers are skipped', async () => {
    const interim = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(3)
    const url = await raw(`${interim}HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc`)
    expect(await textOf(await get(url))).toBe('abc')
  })
})

describe('kept connections', () => {
  test('one connection carries several requests, also after HEAD and an empty answer', async () => {
    let connections = 0
    const server = createHttpServer((request, response) => {
      response.setHeader('content-length', request.url === '/' ? 3 : 0)
      response.end(request.url === '/' ? 'abc' : '')
    }).on('connection', () => {
      connections += 1
    })
    const url = await open(server)
    const options = { stallMs: 30_000, startTimer }
    for (const method of ['GET', 'HEAD', 'GET'] as const)
      expect(await textOf(await exchange({ method, url }, options))).toBe(
        method === 'GET' ? 'abc' : '',
      )
    expect(await textOf(await get(`${url}empty`))).toBe('')
    expect(await textOf(await get(url))).toBe('abc')
    expect(connections).toBe(1)
  })

  test('a request is sent again when the server closes a kept connection instead of answering', async () => {
    let requests = 0
    const url = await open(
      createServer((socket) => {
        let isFirst = true
        socket.on('data', () => {
          requests += 1
          if (isFirst) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc')
          else socket.resetAndDestroy()
          isFirst = false
        })
      }),
    )
    for (let pass = 0; pass < 5; pass += 1) expect(await textOf(await get(url))).toBe('abc')
    expect(requests).toBeGreaterThan(5)
  })

  test('the connection is closed when an answer is not read to its end', async () => {
    const url = await raw(
      `HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n${'x'.repeat(100_000)}`,
    )
    const answer = await get(url)
    for await (const chunk of answer.chunks) if (chunk.length > 0) break
    ;(await get(url)).close()
    await until(() => sockets.size === 0)
  })
})

describe('time', () => {
  test('a server that sends no head is given up', async () => {
    const clock = stallClock()
    const url = await open(createServer((socket) => clock.hold(socket)))
    await expect(get(url, clock)).rejects.toMatchObject({ message: 'too little arrived for 30 s' })
  })

  test('a server that sends interim answers for ever is given up', async () => {
    const clock = stallClock()
    const url = await raw('HTTP/1.1 102 Processing\r\n\r\n'.repeat(1000), clock.hold)
    await expect(get(url, clock)).rejects.toMatchObject({ message: 'too little arrived for 30 s' })
  })

  test('the time in which nobody reads does not count, and 16 KiB begin a new period', async () => {
    const clock = stallClock()
    let response: Parameters<RequestListener>[1] | undefined
    const url = await serve((_, theirs) => {
      response = theirs
      theirs.writeHead(200)
      theirs.write(Buffer.alloc(16 * 1024))
    })
    const reader = (await get(url, clock)).chunks[Symbol.asyncIterator]()
    for (let length = 0; length < 16 * 1024; ) length += (await reader.next()).value?.length ?? 0
    clock.advance(1_000_000)
    let next = reader.next()
    clock.advance(29_000)
    response?.write('x')
    expect((await next).value).toHaveLength(1)
    next = reader.next()
    clock.advance(1_000)
    await expect(next).rejects.toMatchObject({ message: 'too little arrived for 30 s' })
  })

  test.each(['before the head', 'within the body', 'between two reads', 'before the request'])(
    'an exchange that is aborted %s rejects with the reason of the signal',
    async (when) => {
      const url = await raw(when === 'before the head' ? '' : 'HTTP/1.1 200 OK\r\n\r\nabc')
      const controller = new AbortController()
      const reason = new Error('stopped')
      const { signal } = controller
      const abort = () => controller.abort(reason)
      const work = async () => {
        if (when === 'before the request') abort()
        const answered = get(url, { signal })
        if (when === 'before the head') void until(() => sockets.size > 0).then(abort)
        const reader = (await answered).chunks[Symbol.asyncIterator]()
        await reader.next()
        if (when === 'between two reads') abort()
        const next = reader.next()
        if (when === 'within the body') setImmediate(abort)
        await next
      }
      await expect(work()).rejects.toBe(reason)
      await until(() => sockets.size === 0)
    },
  )
})
