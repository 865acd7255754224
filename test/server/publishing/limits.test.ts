// Rate limits in fixed UTC windows (specification: Limits, Authentication 3; API.md 6).
// Rules: API.md 6.1-6.5.
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import type { LimitName, Quotas } from '../../../server/publishing/limits.ts'
import type { Reply } from '../../support/client.ts'
import { idsOf, OBSERVATION, QUESTION } from '../../support/publish.ts'
import { runs } from '../../support/runs.ts'
import {
  clockAt,
  type SetClock,
  startTestService,
  type TestService,
} from '../../support/service.ts'

const DAY_MS = 86_400_000
const START = '2026-11-19T10:15:18.250Z'

let clock: SetClock
let service: TestService
beforeEach(() => {
  clock = clockAt(START)
})

/** Starts a service with limits, which do not count its first directory and investigation. */
async function serve(env: Record<string, string>): Promise<void> {
  service = await startTestService({}, clock)
  await service.publish.directory('lab')
  await service.publish.investigation('lab')
  await service.restart(env)
}

type Headers = Record<string, string>
/** A visitor behind the proxy, whose connection a stop would wait a second for. */
const from = (address: string): Headers => ({ 'x-forwarded-for': address, connection: 'close' })

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

const retryAfter = (reply: { headers: globalThis.Headers }) => reply.headers.get('retry-after')

/** The length of each window [s], and whether each origin has its own (API.md 6). */
const LIMITS = {
  messages_origin_minute: [60, true],
  messages_origin_day: [86_400, true],
  messages_global_minute: [60, false],
  messages_global_day: [86_400, false],
  directories_origin_hour: [3_600, true],
  directories_global_day: [86_400, false],
} as const

/** How many publications each window has counted, as API.md 6 says. */
class Windows {
  readonly #counts = new Map<string, number>()

  /** How a publication is answered. It counts unless a window is full. */
  publish(names: readonly LimitName[], origin: string, quotas: Quotas) {
    const now = clock.now()
    const windows = names
      .filter((name) => quotas[name] > 0)
      .map((name) => {
        const [seconds, perOrigin] = LIMITS[name]
        const end = now - (now % (seconds * 1000)) + seconds * 1000
        const key = `${name} ${end} ${perOrigin ? origin : ''}`
        const resets = Math.ceil((end - now) / 1000)
        return { name, seconds, key, used: this.#counts.get(key) ?? 0, resets }
      })
    const full = windows.filter(({ name, used }) => used >= quotas[name])
    const counted = full.length === 0 ? 1 : 0
    for (const { key, used } of windows) this.#counts.set(key, used + counted)
    const policy = windows.map(({ name, seconds }) => `"${name}";q=${quotas[name]};w=${seconds}`)
    const state = windows.map(({ name, used, resets }) => {
      const left = Math.max(0, quotas[name] - used - counted)
      return `"${name}";r=${left};t=${resets}`
    })
    const [latest] = full.toSorted((a, b) => b.resets - a.resets)
    return {
      status: counted ? 201 : 429,
      retryAfter: latest ? String(latest.resets) : null,
      full: latest ? `${latest.name}: at most ${quotas[latest.name]}` : undefined,
      policy: policy.join(', ') || null,
      state: state.join(', ') || null,
    }
  }
}

const answerOf = (reply: Reply) => ({
  status: reply.status,
  retryAfter: retryAfter(reply),
  full: reply.status === 429 ? reply.message?.split(';')[0] : undefined,
  policy: reply.headers.get('ratelimit-policy'),
  state: reply.headers.get('ratelimit'),
})

/** What a visitor may do: the status if nothing is counted, or else the limits that count it. */
const REQUESTS = {
  say: { send: say, counts: 'messages' },
  ask: { send: ask, counts: 'messages' },
  contribute: { send: contribute, counts: 'messages' },
  make: { send: make, counts: 'directories' },
  fail: { send: (headers: Headers) => say(headers, ' '), status: 400 },
  read: { send: (headers: Headers) => service.client.get(MESSAGES, headers), status: 200 },
}
const NAMES = Object.keys(LIMITS) as LimitName[]
const quotas = fc.record(
  Object.fromEntries(NAMES.map((name) => [name, fc.nat({ max: 4 })])),
) as fc.Arbitrary<Quotas>
const requests = fc.array(
  fc.record({
    what: fc.constantFrom(...(Object.keys(REQUESTS) as (keyof typeof REQUESTS)[])),
    address: fc.constantFrom('192.0.2.1', '192.0.2.2'),
    ms: fc.oneof(
      { weight: 6, arbitrary: fc.nat({ max: 8_000 }) },
      fc.constantFrom(1_750, 41_749, 60_000, 3_600_000),
      fc.nat({ max: DAY_MS }),
    ),
  }),
  { minLength: 15, maxLength: 30 },
)

test('any requests are answered as their windows say, which a restart does not reset', async () => {
  await serve({})
  const histories = fc.tuple(fc.tuple(quotas, requests), fc.tuple(quotas, requests))
  await fc.assert(
    fc.asyncProperty(histories, async (parts) => {
      clock.pass(DAY_MS)
      const windows = new Windows()
      for (const [quota, history] of parts) {
        const limits = NAMES.map((name) => [`LIMIT_${name.toUpperCase()}`, String(quota[name])])
        await service.restart({ TRUST_PROXY: '127.0.0.1', ...Object.fromEntries(limits) })
        for (const { what, address, ms } of history) {
          clock.pass(ms)
          const { send, ...request } = REQUESTS[what]
          const counting = 'counts' in request ? request.counts : 'nothing'
          const names = NAMES.filter((name) => name.startsWith(counting))
          const answer = answerOf(await send(from(address)))
          const uncounted = 'status' in request && { status: request.status }
          expect(answer).toEqual({ ...windows.publish(names, address, quota), ...uncounted })
        }
      }
    }),
    { numRuns: runs(4, 12), endOnFailure: true },
  )
}, 120_000)

describe('messages_origin_minute: 5', () => {
  const FIVE = { LIMIT_MESSAGES_ORIGIN_MINUTE: '5' }

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

  test('a forged X-Forwarded-For does not change the origin', async () => {
    await serve(FIVE)
    for (let i = 0; i < 5; i++) expect((await say(from(`192.0.2.${i}`))).status).toBe(201)
    expect((await say(from('192.0.2.99'))).status).toBe(429)
    expect((await say({ forwarded: 'for=192.0.2.98', 'x-real-ip': '192.0.2.97' })).status).toBe(429)
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

test('a directory that exists, or has no parent, is not counted', async () => {
  await serve({ LIMIT_DIRECTORIES_ORIGIN_HOUR: '1' })
  const path = (text: string) => () => service.client.post('/api/v1/directories', { path: text })
  expect(await statuses(path('lab'), path('no/parent'), path('system'), make, make)).toEqual([
    409, 404, 400, 201, 429,
  ])
})
