// Rate limits in fixed UTC windows (specification: Limits, Authentication 3; API.md 6).
// Rules: API.md 6.1-6.5.
import { beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../../server/config.ts'
import { idsOf, OBSERVATION, publisherOf, QUESTION } from '../../support/publish.ts'
import {
  clockAt,
  type SetClock,
  startTestService,
  type TestService,
} from '../../support/service.ts'

const START = '2026-11-19T10:15:18.250Z'

let clock: SetClock
let service: TestService
beforeEach(() => {
  clock = clockAt(START)
})

/** Starts a service with limits, which do not count its first directory and investigation. */
async function serve(env: Record<string, string>): Promise<void> {
  service = await startTestService({}, clock)
  await publisherOf(service.client).directory('lab')
  await publisherOf(service.client).investigation('lab')
  await service.restart(env)
}

type Headers = Record<string, string>
const from = (address: string): Headers => ({ 'x-forwarded-for': address })

let count = 0
const MESSAGES = '/api/v1/messages'
const say = (headers: Headers = {}, body = 'b') =>
  service.client.post(MESSAGES, { directory: 'lab', body }, headers)
const ask = (headers: Headers = {}) =>
  service.client.post('/api/v1/investigations', { directory: 'lab', ...QUESTION }, headers)
const contribute = (headers: Headers = {}) =>
  service.client.post('/api/v1/investigations/1/contributions', OBSERVATION, headers)
const make = (headers: Headers = {}) =>
  service.client.post('/api/v1/directories', { path: `d${++count}` }, headers)

async function statuses(...requests: (() => Promise<{ status: number }>)[]): Promise<number[]> {
  const seen: number[] = []
  for (const request of requests) seen.push((await request()).status)
  return seen
}

const LIMITED = { status: 429, code: 'rate_limited' }
const retryAfter = (reply: { headers: globalThis.Headers }) => reply.headers.get('retry-after')

test('the default limits match the specification, and the daily limit of an origin is off', async () => {
  await serve({})
  expect(readConfig({}).quotas).toEqual({
    messages_origin_minute: 300,
    messages_origin_day: 0,
    messages_global_minute: 1200,
    messages_global_day: 50_000,
    directories_origin_hour: 100,
    directories_global_day: 2000,
  })
})

describe('messages_origin_minute: 5', () => {
  const FIVE = { LIMIT_MESSAGES_ORIGIN_MINUTE: '5' }

  test('the sixth publication of any kind answers 429 until the minute ends', async () => {
    await serve(FIVE)
    expect(await statuses(say, ask, contribute, say, contribute)).toEqual(Array(5).fill(201))
    for (const request of [say, ask, contribute]) {
      const reply = await request()
      expect(reply).toMatchObject(LIMITED)
      expect(retryAfter(reply)).toBe('42')
    }
    clock.passTo('2026-11-19T10:15:59.999Z')
    expect(retryAfter(await say())).toBe('1')
    clock.passTo('2026-11-19T10:16:00.000Z')
    expect(await statuses(say, ask, contribute, say, say, say)).toEqual([
      ...Array(5).fill(201),
      429,
    ])
  })

  test('a request after Retry-After seconds succeeds', async () => {
    await serve(FIVE)
    await statuses(say, say, say, say, say)
    const reply = await say()
    clock.pass(Number(retryAfter(reply)) * 1000)
    expect((await say()).status).toBe(201)
  })

  test('directories do not count as messages', async () => {
    await serve(FIVE)
    expect(await statuses(make, say, make, say, make, say, say, say, make)).toEqual(
      Array(9).fill(201),
    )
    expect(await say()).toMatchObject(LIMITED)
  })

  test('reads are not limited and consume no quota', async () => {
    await serve(FIVE)
    for (let i = 0; i < 20; i++) expect((await service.client.get(MESSAGES)).status).toBe(200)
    expect(await statuses(say, say, say, say, say, say)).toEqual([...Array(5).fill(201), 429])
    expect((await service.client.get(MESSAGES)).status).toBe(200)
  })

  test('replays and conflicts are not counted and still work in a full window', async () => {
    await serve(FIVE)
    const key = { 'idempotency-key': 'k' }
    const replay = () => say(key)
    expect(await statuses(replay, replay, replay, replay, replay, replay)).toEqual([
      201,
      ...Array(5).fill(200),
    ])
    expect((await say(key, 'other')).status).toBe(409)
    expect(await statuses(say, say, say, say, say)).toEqual([201, 201, 201, 201, 429])
    expect((await replay()).status).toBe(200)
    expect((await say(key, 'other')).status).toBe(409)
  })

  test('failures are not counted', async () => {
    await serve(FIVE)
    const { client } = service
    const failures: [number, () => Promise<{ status: number }>][] = [
      [400, () => say({}, ' ')],
      [413, () => say({}, 'x'.repeat(16_385))],
      [415, () => say({ 'content-type': 'text/plain' })],
      [404, () => client.post(MESSAGES, { directory: 'nowhere', body: 'b' })],
      [404, () => client.post('/api/v1/investigations/99/contributions', OBSERVATION)],
      [405, () => client.send('PUT', MESSAGES)],
    ]
    for (const [status, request] of failures)
      for (let i = 0; i < 6; i++) expect((await request()).status).toBe(status)
    expect(await statuses(say, say, say, say, say, say)).toEqual([...Array(5).fill(201), 429])
  })

  test('a rejected request consumes no quota of the next window', async () => {
    await serve(FIVE)
    await statuses(say, say, say, say, say)
    for (let i = 0; i < 10; i++) expect((await say()).status).toBe(429)
    clock.passTo('2026-11-19T10:16:00.000Z')
    expect(await statuses(say, say, say, say, say)).toEqual(Array(5).fill(201))
  })

  test('each origin has its own window; a /64 is one origin, mapped IPv4 is IPv4', async () => {
    await serve({ ...FIVE, TRUST_PROXY: '127.0.0.1' })
    const by = (address: string) => say(from(address))
    for (let i = 0; i < 5; i++) expect((await by('192.0.2.1')).status).toBe(201)
    expect((await by('192.0.2.1')).status).toBe(429)
    expect((await by('::ffff:192.0.2.1')).status).toBe(429)
    expect((await by('192.0.2.2')).status).toBe(201)
    for (let i = 0; i < 5; i++) expect((await by(`2001:db8:0:1::${i + 1}`)).status).toBe(201)
    expect((await by('2001:db8:0:1:ffff::')).status).toBe(429)
    expect((await by('2001:db8:0:2::1')).status).toBe(201)
    expect((await by('203.0.113.9, 192.0.2.1')).status).toBe(429)
  })

  test('a forged X-Forwarded-For does not change the origin', async () => {
    await serve(FIVE)
    for (let i = 0; i < 5; i++) expect((await say(from(`192.0.2.${i}`))).status).toBe(201)
    expect((await say(from('192.0.2.99'))).status).toBe(429)
    expect((await say({ forwarded: 'for=192.0.2.98', 'x-real-ip': '192.0.2.97' })).status).toBe(429)
  })

  test('a restart does not reset the limits', async () => {
    await serve(FIVE)
    await statuses(say, say, say, say)
    await service.restart(FIVE)
    expect(await statuses(say, say)).toEqual([201, 429])
  })

  test('two processes on one database share the limits', async () => {
    await serve(FIVE)
    const other = await startTestService({ ...FIVE, DATA_DIR: service.dataDir }, clock)
    const request = { directory: 'lab', body: 'b' }
    const there = () => other.client.post(MESSAGES, request)
    expect(await statuses(say, there, say, there, say, there)).toEqual([...Array(5).fill(201), 429])
  })

  test('five of fifty simultaneous requests succeed', async () => {
    await serve(FIVE)
    const replies = await Promise.all(Array.from({ length: 50 }, () => say()))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(5)
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(45)
    expect(idsOf(await service.client.get(`${MESSAGES}?after=1`))).toHaveLength(5)
  })
})

describe('the other windows', () => {
  test('messages_global_minute counts all origins together', async () => {
    await serve({ LIMIT_MESSAGES_GLOBAL_MINUTE: '3', TRUST_PROXY: '127.0.0.1' })
    const by = (n: number) => () => say(from(`192.0.2.${n}`))
    expect(await statuses(by(1), by(2), by(3), by(4))).toEqual([201, 201, 201, 429])
    expect(retryAfter(await by(5)())).toBe('42')
  })

  test('messages_global_day ends at midnight UTC', async () => {
    await serve({ LIMIT_MESSAGES_GLOBAL_DAY: '2' })
    expect(await statuses(say, ask, contribute)).toEqual([201, 201, 429])
    expect(retryAfter(await say())).toBe(String(13 * 3600 + 44 * 60 + 42))
    clock.passTo('2026-11-19T23:59:59.999Z')
    expect(retryAfter(await say())).toBe('1')
    clock.passTo('2026-11-20T00:00:00.000Z')
    expect((await say()).status).toBe(201)
  })

  test('directories_origin_hour and directories_global_day limit the creation of directories', async () => {
    await serve({ LIMIT_DIRECTORIES_ORIGIN_HOUR: '2', TRUST_PROXY: '127.0.0.1' })
    const by = (n: number) => () => make(from(`192.0.2.${n}`))
    expect(await statuses(by(1), by(1), by(1), by(2))).toEqual([201, 201, 429, 201])
    expect(retryAfter(await by(1)())).toBe(String(44 * 60 + 42))
    clock.passTo('2026-11-19T11:00:00.000Z')
    expect((await by(1)()).status).toBe(201)
    await service.restart({ LIMIT_DIRECTORIES_ORIGIN_HOUR: '0', LIMIT_DIRECTORIES_GLOBAL_DAY: '2' })
    expect(await statuses(make, make, make)).toEqual([201, 201, 429])
    expect(retryAfter(await make())).toBe(String(13 * 3600))
  })

  test('a directory that exists, or has no parent, is not counted', async () => {
    await serve({ LIMIT_DIRECTORIES_ORIGIN_HOUR: '1' })
    const path = (text: string) => () => service.client.post('/api/v1/directories', { path: text })
    expect(await statuses(path('lab'), path('no/parent'), path('system'), make, make)).toEqual([
      409, 404, 400, 201, 429,
    ])
  })

  test('Retry-After states the time to the end of the latest full window', async () => {
    await serve({ LIMIT_MESSAGES_ORIGIN_MINUTE: '2', LIMIT_MESSAGES_GLOBAL_DAY: '4' })
    expect(await statuses(say, say)).toEqual([201, 201])
    expect(retryAfter(await say())).toBe('42')
    clock.passTo('2026-11-19T10:16:00.000Z')
    expect(await statuses(say, say)).toEqual([201, 201])
    const reply = await say()
    expect(retryAfter(reply)).toBe(String(13 * 3600 + 44 * 60))
    expect(reply.message).toContain('messages_global_day')
  })

  test('a limit of 0 means no limit', async () => {
    await serve({ LIMIT_MESSAGES_ORIGIN_MINUTE: '0', LIMIT_MESSAGES_GLOBAL_DAY: '7' })
    expect(await statuses(...Array(8).fill(say))).toEqual([...Array(7).fill(201), 429])
  })
})

describe('messages_origin_day: 4', () => {
  const env = { TRUST_PROXY: '127.0.0.0/8', LIMIT_MESSAGES_ORIGIN_DAY: '4' }
  const visitor = () => say(from('203.0.113.1'))
  const other = () => say(from('203.0.113.2'))

  test('an origin that has published its share waits for the next day, and others publish', async () => {
    await serve(env)
    const asking = [() => ask(from('203.0.113.1')), () => contribute(from('203.0.113.1'))]
    expect(await statuses(visitor, ...asking, visitor)).toEqual([201, 201, 201, 201])
    clock.passTo('2026-11-19T20:00:00.000Z')
    for (const request of [visitor, ...asking]) {
      const reply = await request()
      expect(reply).toMatchObject(LIMITED)
      expect(reply.message).toContain('messages_origin_day: at most 4')
      expect(retryAfter(reply)).toBe(String(4 * 3600))
    }
    expect(await statuses(other, other, other, other, other)).toEqual([...Array(4).fill(201), 429])
    clock.passTo('2026-11-20T00:00:00.000Z')
    expect((await visitor()).status).toBe(201)
  })

  test('the count of a day survives a restart', async () => {
    await serve(env)
    await statuses(visitor, visitor, other)
    await service.restart({ ...env, LIMIT_MESSAGES_ORIGIN_MINUTE: '3' })
    const reply = await visitor()
    expect(reply.headers.get('ratelimit-policy')).toBe(
      '"messages_origin_minute";q=3;w=60, "messages_origin_day";q=4;w=86400',
    )
    expect(reply.headers.get('ratelimit')).toBe(
      '"messages_origin_minute";r=2;t=42, "messages_origin_day";r=1;t=49482',
    )
    expect(await statuses(visitor, visitor)).toEqual([201, 429])
  })
})

describe('RateLimit fields', () => {
  test('RateLimit fields report the quota, remainder and end of each window', async () => {
    await serve({ LIMIT_MESSAGES_ORIGIN_MINUTE: '2', LIMIT_MESSAGES_GLOBAL_DAY: '9' })
    const first = await say()
    expect(first.headers.get('ratelimit-policy')).toBe(
      '"messages_origin_minute";q=2;w=60, "messages_global_day";q=9;w=86400',
    )
    expect(first.headers.get('ratelimit')).toBe(
      '"messages_origin_minute";r=1;t=42, "messages_global_day";r=8;t=49482',
    )
    await say()
    expect((await say()).headers.get('ratelimit')).toBe(
      '"messages_origin_minute";r=0;t=42, "messages_global_day";r=7;t=49482',
    )
  })

  test('a window with more publications than a lowered quota has none left', async () => {
    await serve({ LIMIT_MESSAGES_GLOBAL_DAY: '9' })
    expect(await statuses(say, say, say)).toEqual([201, 201, 201])
    await service.restart({ LIMIT_MESSAGES_GLOBAL_DAY: '1' })
    const reply = await say()
    expect(reply.status).toBe(429)
    expect(reply.headers.get('ratelimit')).toBe('"messages_global_day";r=0;t=49482')
  })

  test('a replay, a failure and a read have no RateLimit fields', async () => {
    await serve({ LIMIT_MESSAGES_ORIGIN_MINUTE: '9' })
    const key = { 'idempotency-key': 'k' }
    expect((await say(key)).headers.has('ratelimit')).toBe(true)
    for (const reply of [await say(key), await say({}, ''), await service.client.get(MESSAGES)])
      expect(reply.headers.has('ratelimit')).toBe(false)
  })
})
