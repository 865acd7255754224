// Tests how the slots for connections are shared among origins. Each address of 127.0.0.0/8 is an origin.
// Rules: API.md 1.9.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { originOfPeer, parseTrustedProxies } from '../../../server/publishing/origin.ts'
import { sendRaw } from '../../support/raw.ts'
import { inFull } from '../../support/runs.ts'
import { startTestService, type TestService } from '../../support/service.ts'
import { until } from '../../support/time.ts'
import { request, served, text } from './served.ts'

const CROWD = '127.0.0.2'
const VISITOR = '127.0.0.3'
const OTHER = '127.0.0.4'
const PROXY = '127.0.0.9'
const HALF_HEAD = 'GET / HT'

const opened: Socket[] = []
function closeAll(): void {
  for (const socket of opened.splice(0)) socket.destroy()
}
afterEach(closeAll)

/** Opens connections one after the other. */
async function open(url: string, count: number, localAddress: string): Promise<Socket[]> {
  const { hostname: host, port } = new URL(url)
  const sockets: Socket[] = []
  while (sockets.length < count) {
    const socket = connect({ host, port: Number(port), localAddress }).on('error', () => {})
    await once(socket, 'connect')
    sockets.push(socket.resume())
  }
  opened.push(...sockets)
  return sockets
}

/**
 * Sends a request on an open connection.
 * @param next the beginning of the next request, which the server has received when it responds
 * @returns the first bytes of the response
 */
function use(socket: Socket, path = '/', next = ''): Promise<string> {
  socket.write(request(path) + next)
  return new Promise((resolve, reject) => {
    socket.once('data', (bytes: Buffer) => resolve(String(bytes)))
    socket.once('close', () => reject(new Error('closed without a response')))
  })
}

/** Sends one request on a new connection. */
const ask = (url: string, address: string, path = '/') =>
  sendRaw(url, request(path, 'Connection: close\r\n'), 'close', undefined, address)

describe('with all slots taken', () => {
  const server = served()
  const { serve } = server
  const openFrom = (address: string, count = 1) => open(server.url, count, address)
  const statusFor = async (address: string) => (await ask(server.url, address)).status
  const FOUR = { connections: 4, reserved: 2 }

  test('a new connection closes the one that has been idle longest, of the origin that holds most', async () => {
    await serve(() => text('ok'), FOUR)
    const [visitor] = await openFrom(VISITOR)
    const [first, second, third] = (await openFrom(CROWD, 3)) as [Socket, Socket, Socket]
    await use(first)
    await openFrom(OTHER)
    await until(() => second.closed)
    await openFrom(CROWD)
    await until(() => third.closed)
    expect([visitor?.closed, first.closed]).toEqual([false, false])
  })

  test('connections with half a head, half a body or a response due are not idle', async () => {
    await serve(({ pathname }) => (pathname === '/slow' ? new Promise(() => {}) : text('ok')), FOUR)
    const [head, body, due, idle] = (await openFrom(CROWD, 4)) as [Socket, Socket, Socket, Socket]
    await use(head, '/', HALF_HEAD)
    await use(body, '/', 'POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n12')
    await use(due, '/', request('/slow'))
    await use(idle)
    await openFrom(CROWD)
    await until(() => idle.closed)
    expect([head.closed, body.closed, due.closed]).toEqual([false, false, false])
  })

  test('reserved slots are for origins that hold fewer than 8 connections', async () => {
    await serve(() => text('ok'), { connections: 10, reserved: 3 })
    const busy = [...(await openFrom(CROWD, 8)), ...(await openFrom(VISITOR, 2))]
    for (const socket of busy) await use(socket, '/', HALF_HEAD)
    expect(await statusFor(OTHER)).toBe(200)
    expect(await statusFor(CROWD)).toBe(503)
    for (const socket of await openFrom(VISITOR, 3)) await use(socket, '/', HALF_HEAD)
    expect(await statusFor(OTHER)).toBe(503)
    expect(busy.some(({ closed }) => closed)).toBe(false)
  })

  test('once the reserved slots are taken, an origin that holds few gets that of the connection idle longest', async () => {
    await serve(() => text('ok'), { connections: 10, reserved: 2 })
    for (const socket of await openFrom(CROWD, 10)) await use(socket, '/', HALF_HEAD)
    const [first, second] = (await openFrom(VISITOR, 2)) as [Socket, Socket]
    await use(first)
    expect(await statusFor(CROWD)).toBe(503)
    expect(await statusFor(OTHER)).toBe(200)
    await until(() => second.closed)
    expect(first.closed).toBe(false)
  })

  test('a trusted proxy may take every slot, and its idle connections stay open', async () => {
    const trusted = parseTrustedProxies(PROXY)
    const limits = { connections: 20, reserved: 10 }
    await serve(
      () => text('ok'),
      limits,
      (peer) => originOfPeer(peer, trusted),
    )
    const [visitor] = await openFrom(VISITOR)
    const proxied = await openFrom(PROXY, 20)
    await until(() => visitor?.closed === true)
    proxied.push(...(await openFrom(PROXY, 10)))
    for (const address of [PROXY, VISITOR]) expect(await statusFor(address)).toBe(503)
    expect(proxied.some(({ closed }) => closed)).toBe(false)
  })

  test('a connection without a slot gets 503 with Retry-After, until one is free', async () => {
    await serve(() => text('ok'), { connections: 1, reserved: 0 })
    const [busy] = (await openFrom(CROWD)) as [Socket]
    await use(busy, '/', HALF_HEAD)
    const rejected = await sendRaw(server.url, request('/'))
    expect(rejected).toMatchObject({ status: 503, closed: true, reset: false })
    expect(JSON.parse(rejected.body).error.code).toBe('overloaded')
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0)
    busy.destroy()
    await until(async () => (await statusFor(VISITOR)) === 200)
  })

  test('connections beyond those that get a 503 are closed, and an origin with a slot is still served', async () => {
    await serve(() => text('ok'), { connections: 8, reserved: 2 })
    for (const socket of await openFrom(CROWD, 8)) await use(socket, '/', HALF_HEAD)
    const flood = await openFrom(CROWD, 600)
    expect(await statusFor(VISITOR)).toBe(200)
    await until(() => flood.every(({ closed }) => closed))
  })
})

describe('a service with its real limits', () => {
  const SLOTS = 1_024
  const SLOW_BODY =
    'POST /api/v1/messages HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{'
  let service: TestService
  beforeEach(async () => {
    service = await startTestService()
  })
  afterEach(() => {
    closeAll()
    return service.stop()
  })
  const isOk = (head: string) => head.startsWith('HTTP/1.1 200 ')

  test.each([
    ['idle', ''],
    ['with slow heads', 'GET / HTTP/1.1\r\nHost: a\r\nX: '],
    ['with slow bodies', SLOW_BODY],
  ])('1,024 connections of one client, %s, keep nobody else out', async (_, next) => {
    for (const socket of await open(service.url, SLOTS, CROWD)) await use(socket, '/healthz', next)
    const page = await open(service.url, 6, VISITOR)
    const heads = await Promise.all(page.map((socket) => use(socket, '/')))
    expect(heads.every(isOk)).toBe(true)
    for (const address of [VISITOR, OTHER])
      expect((await ask(service.url, address, '/healthz')).status).toBe(200)
    expect((await ask(service.url, OTHER)).status).toBe(200)
  })

  inFull('100 visitors with 6 connections each behind one address are all answered', async () => {
    const sockets = await open(service.url, 600, CROWD)
    for (let round = 0; round < 2; round++) {
      const heads = await Promise.all(sockets.map((socket) => use(socket, '/healthz')))
      expect(heads.every(isOk)).toBe(true)
    }
  })
})
