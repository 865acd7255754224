// What all endpoints have in common, at an address of each one that is declared: methods, parameters, caching and headers.
// Rules: API.md 1.1, 1.10, 2.1, 2.4, 9.2, 9.4.
import { describe, expect, test } from 'vitest'
import { ENDPOINTS } from '../../../server/openapi/document.ts'
import type { Endpoint } from '../../../server/wire/endpoint.ts'
import { act } from '../../support/operator.ts'
import { sealDays } from '../../support/sealing.ts'
import { clockAt, startTestService } from '../../support/service.ts'
import { addressOf, needsQuery, READS } from './addresses.ts'

const DAY = '2026-11-19'
const MAX = '9223372036854775807'
const NAMED = { BASE_URL: 'https://board.example' }

const clock = clockAt(`${DAY}T08:30:00.000Z`)
const service = await startTestService(NAMED, clock)
const board = service.publish
await board.directory('lab')
await board.investigation('lab')
await board.contribution(1n)
await act(service, 'review', '1', '--outcome', 'withdrawn')
clock.passTo('2026-11-20T12:00:00.000Z')
await sealDays(service.dataDir, [DAY], clock.now(), NAMED)

const EXAMPLES: Record<string, string> = { id: '1', path: 'lab', day: DAY }
/** This board is no mirror, and its day has no media (media.test.ts). */
const NOT_HERE = /mirror\.json|transmission-media/
/** Each read with what its client prefers, which matters only where it is negotiated. */
const FORMS = READS.filter(({ path }) => !NOT_HERE.test(path)).flatMap((endpoint) => {
  const json = endpoint.representation === 'data' ? [] : ['application/json']
  const address = addressOf(endpoint, EXAMPLES)
  return ['text/html', ...json].map((accept) => ({ endpoint, accept, address }))
})
const withQuery = (name: string, type: string) =>
  FORMS.filter(({ endpoint, accept }) =>
    endpoint.parameters.some(
      (one) =>
        one.name === name &&
        one.in === 'query' &&
        (one.schema as { type: string }).type === type &&
        (accept === 'text/html' || !one.description.includes('(HTML only)')),
    ),
  )

const get = (path: string, accept: string, headers: Record<string, string> = {}) =>
  service.client.get(path, { accept, ...headers })

function expectSecure(headers: Headers): void {
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
  expect(headers.get('content-security-policy')).not.toMatch(/unsafe|https?:|\*|data:|blob:/)
}

type Form = (typeof FORMS)[number]
const isPage = ({ endpoint, accept }: Form) =>
  endpoint.representation === 'page' ||
  (endpoint.representation === 'negotiated' && accept === 'text/html')

/** Expects an error, as an envelope or as a page that states the code. */
async function expectError(form: Form, path: string, status: number, code: string | RegExp) {
  const reply = await get(path, form.accept)
  expect([path, reply.status]).toEqual([path, status])
  const [, shown] = /<code>([a-z]+_[a-z_]+)<\/code>/.exec(reply.text) ?? []
  expect(isPage(form) ? shown : reply.code, path).toMatch(code)
  expect(reply.headers.get('cache-control')).toBe('no-store')
  expect(reply.headers.get('etag')).toBeNull()
  expectSecure(reply.headers)
}

/** The header fields of a response, without those that depend on the connection or the time. */
const fieldsOf = ({ headers }: { headers: Headers }) =>
  [...headers].filter(([name]) => !/^(?:date|connection|keep-alive|transfer-encoding)$/.test(name))

describe.each(FORMS)('$address for $accept', (form) => {
  const { endpoint, accept, address } = form

  test('HEAD returns the status and headers of GET, without a body, also of an error', async () => {
    const missing = addressOf(endpoint, { id: MAX, path: 'none', day: '2026-11-01' })
    for (const path of [address, missing, `${address}?limit=0`]) {
      const [head, whole] = [
        await service.client.head(path, { accept }),
        await get(path, accept),
      ] as const
      expect([head.status, head.text]).toEqual([whole.status, ''])
      expect(fieldsOf(head)).toEqual(fieldsOf(whole))
    }
  })

  test('it is cached as declared, varies by Accept if it is negotiated, and any site may read it', async () => {
    const path = `${address}?${needsQuery(endpoint) ? 'q=a' : 'utm=1'}`
    const { status, headers, bytes } = await get(path, accept)
    expect(status).toBe(Number(Object.keys(endpoint.answers)[0]))
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(/^text\/html/.test(headers.get('content-type') ?? '')).toBe(
      isPage(form) && status === 200,
    )
    expectSecure(headers)
    expect(/(^|, )Accept($|,)/.test(headers.get('vary') ?? '')).toBe(
      endpoint.representation === 'negotiated',
    )
    const etag = headers.get('etag')
    if (endpoint.cache === 'no-store') {
      expect([headers.get('cache-control'), etag]).toEqual(['no-store', null])
      return
    }
    expect(headers.get('cache-control')).toBe('no-cache')
    expect(etag).toMatch(/^"[^"]+"$/)
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await get(path, accept, { 'if-none-match': String(tag) })
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
    }
    const other = await get(path, accept, { 'if-none-match': '"x"' })
    expect(other.bytes).toEqual(bytes)
    expect((await get(path, accept, { 'if-match': '"x"' })).status).toBe(412)
  })
})

const METHODS = Map.groupBy(ENDPOINTS, ({ path }) => path)

test.each([...METHODS])('%s answers any other method with 405 and Allow', async (_, group) => {
  const allowed = group.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  const [endpoint] = group as [Endpoint]
  const address = addressOf(endpoint, { ...EXAMPLES, filename: 'x' })
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
    (one) => !allowed.includes(one),
  )) {
    const reply = await service.client.send(method, address, {
      headers: { accept: 'application/json' },
    })
    expect(reply.status).toBe(405)
    if (endpoint.representation !== 'page') expect(reply.code).toBe('method_not_allowed')
    expect(reply.headers.get('allow')?.split(', ').toSorted()).toEqual(allowed.toSorted())
    expect(reply.headers.get('cache-control')).toBe('no-store')
  }
})

const NO_NUMBERS = [
  ...['-1', '%2B1', '01', '1.0', '1e1', '%201', '', 'x', '%D9%A1', '9223372036854775808'],
  '9'.repeat(23),
]
const NO_DAYS = ['', '2026-02-30', '2026-1-01', '20261101', 'yesterday', '%202026-11-19']

test.each([
  ['limit', 'integer', 'invalid_limit', [...NO_NUMBERS, '0', '101', '1&limit=1']],
  ['after', 'integer', 'invalid_cursor', [...NO_NUMBERS, '1&after=1']],
  ['before', 'integer', 'invalid_cursor', [...NO_NUMBERS, '0', '1&before=1']],
  ['before', 'string', 'invalid_day', [...NO_DAYS, `${DAY}&before=${DAY}`]],
])('wherever %s is an %s, anything else and a second are %s', async (name, type, code, values) => {
  const places = withQuery(name, type)
  expect(places.length).toBeGreaterThan(1)
  for (const place of places)
    for (const value of values)
      await expectError(place, `${place.address}?${name}=${value}`, 400, code)
})

test.each([
  ['id', 400, /^invalid_request$/, ['0', '01', '-1', '1.0', 'x', '1x', '%31x', '%20', `${MAX}0`]],
  ['id', 404, /^(message|investigation)_not_found$/, ['7', MAX]],
  ['day', 404, /^snapshot_not_found$/, ['2026-11-16', '2026-11-21', '2026-12-01', '2026-02-30']],
  ['day', 404, /^snapshot_not_found$/, ['20261119', 'today', '%00']],
])('a wrong %s in a path answers %i with %s', async (name, status, code, values) => {
  const places = FORMS.filter(({ endpoint }) => endpoint.path.includes(`:${name}`))
  expect(places.length).toBeGreaterThan(1)
  for (const place of places)
    for (const value of values)
      await expectError(place, addressOf(place.endpoint, { [name]: value }), status, code)
})
