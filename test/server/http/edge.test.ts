// Tests malformed, oversized and unusual requests: every response is an error envelope, and no connection is reset.
// Rules: API.md 1.3-1.5, 1.10, 2.2, 2.5-2.6.
import { describe, expect, test } from 'vitest'
import { sendRaw } from '../../support/raw.ts'
import { startTestService } from '../../support/service.ts'

const service = await startTestService()

const HOST = 'Host: day.example\r\n'
const JSON_POST = `POST /api/v1/messages HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`

test.each([
  ['two Host lines', `GET /healthz HTTP/1.1\r\n${HOST}Host: b\r\n\r\n`, 400],
  ['no Host line', 'GET /healthz HTTP/1.1\r\n\r\n', 400],
  ['an invalid Host', 'GET /healthz HTTP/1.1\r\nHost: a b<>\r\n\r\n', 400],
  ['bytes of another protocol', '\x16\x03\x01\x02\x00\r\n\r\n', 400],
  ['a target that is not a path', `GET ?x HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['an invalid absolute target', `GET http://[bad/ HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['a target of another scheme', `GET ftp://x/ HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['a target that is a host with a port', `GET x:80 HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['an unknown method', `FROB / HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['CONNECT', `CONNECT day.example:443 HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['a header of 40 kB', `GET / HTTP/1.1\r\n${HOST}X: ${'a'.repeat(40_000)}\r\n\r\n`, 431],
  ['an unknown expectation', `${JSON_POST}Expect: miracle\r\nContent-Length: 2\r\n\r\n{}`, 417],
  [
    'a body with both a length and chunks',
    `${JSON_POST}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
    400,
  ],
  [
    'a transfer coding other than chunked',
    `${JSON_POST}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    501,
  ],
  [
    'a transfer coding on a read',
    `GET /healthz HTTP/1.1\r\n${HOST}Transfer-Encoding: deflate, chunked\r\n\r\n0\r\n\r\n`,
    501,
  ],
  ['TRACE', `TRACE /healthz HTTP/1.1\r\n${HOST}\r\n`, 405],
  [
    'a write to an unknown path',
    `POST /api/v1/nowhere HTTP/1.1\r\n${HOST}Content-Length: 0\r\n\r\n`,
    404,
  ],
  ['a path that is not UTF-8', `GET /messages/%ff.json HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['a path with a broken escape', `GET /messages/%ZZ.json HTTP/1.1\r\n${HOST}\r\n`, 400],
])('%s gets an error envelope', async (_, request, status) => {
  const answer = await sendRaw(service.url, request, 'answer')
  expect(answer.status).toBe(status)
  expect(JSON.parse(answer.body)).toEqual({
    error: { code: expect.stringMatching(/^[a-z_]+$/), message: expect.stringMatching(/./) },
  })
  for (const name of ['referrer-policy', 'content-security-policy'])
    expect(answer.headers.get(name)).toMatch(/./)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  expect(answer.body).not.toMatch(/node:|\.ts\b|\n/)
})

describe('requests that are too large', () => {
  test('a declared length over the limit is rejected without waiting for the body', async () => {
    const answer = await sendRaw(service.url, `${JSON_POST}Content-Length: 10000000000\r\n\r\n{`)
    expect(answer.status).toBe(413)
    expect(JSON.parse(answer.body).error.code).toBe('request_too_large')
    expect(answer.reset).toBe(false)
  })

  test('a chunked body over the limit is rejected, and the client can still read why', async () => {
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`
    const answer = await sendRaw(service.url, [
      `${JSON_POST}Transfer-Encoding: chunked\r\n\r\n`,
      ...Array(20).fill(chunk),
    ])
    expect(answer.status).toBe(413)
    expect(answer.reset).toBe(false)
  })

  test('a request of exactly 131072 bytes is still read', async () => {
    const body = JSON.stringify({ directory: 'nowhere', body: 'x' }).padEnd(131_072)
    const headers = { 'content-type': 'application/json' }
    const url = `${service.url}/api/v1/messages`
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(404)
    expect((await fetch(url, { method: 'POST', headers, body: `${body} ` })).status).toBe(413)
  })
})

test('a request after one in an unknown transfer coding is not read, and the connection is closed', async () => {
  const answer = await sendRaw(
    service.url,
    `${JSON_POST}Transfer-Encoding: gzip, chunked\r\nExpect: 100-continue\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\n${HOST}\r\n`,
  )
  expect(answer.text.match(/HTTP\/1\.1 [0-9]+/g)).toEqual(['HTTP/1.1 501'])
  expect(JSON.parse(answer.body).error.code).toBe('not_implemented')
  expect(answer.closed).toBe(true)
})

test.each(['chunked', 'Chunked'])('a body with the transfer coding %s is read', async (coding) => {
  const answer = await sendRaw(
    service.url,
    `${JSON_POST}Transfer-Encoding: ${coding}\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  )
  expect(answer.body).toContain('directory')
})

test.each([
  ['application/json', 2, 400],
  ['application/json', 10_000_000_000, 413],
  ['text/plain', 2, 415],
])('of %s, %i bytes get 100 Continue only if they are acceptable', async (type, length, status) => {
  const fields = `Content-Type: ${type}\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n`
  const isRead = status === 400
  const answer = await sendRaw(
    service.url,
    `POST /api/v1/messages HTTP/1.1\r\n${HOST}${fields}\r\n${isRead ? '{}' : ''}`,
    'answer',
  )
  expect(answer.text.includes('100 Continue')).toBe(isRead)
  expect(answer.status).toBe(status)
})

/** Addresses whose texts contain the host, an address whose text does not, and an unknown one; with their status. */
const ADDRESSES = [
  ['/', 200],
  ['/llms.txt', 200],
  ['/transmissions', 200],
  ['/healthz', 200],
  ['/nowhere.json', 404],
] as const

const askFrom = (host: string, target: string) =>
  sendRaw(service.url, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)

test.each([
  ...['x', 'X.Example:8080', '127.0.0.1', '[::1]:3000', 'x:', ''],
  ...['_', 'a_b', '_x.y', '1a', 'a-b.c-d', 'a.example.'],
])('the host "%s" is accepted at every address', async (host) => {
  for (const [path, status] of ADDRESSES)
    expect([path, (await askFrom(host, path)).status]).toEqual([path, status])
})

test.each([
  ...['-', '-a', 'a-.b', 'a..b', '.', '.a', 'a!b', "a'b", 'a$(id)', 'a%2fb', 'a~b', '*'],
  ...['a,b', 'a=b', 'x:99999', '999.1', 'x'.repeat(64), '1.2.3.4.5', '[1.2]', '[::1]:99999', '%'],
  ...['a:b', ':80', 'x:-1'],
])('the host "%s" is rejected at every address, also in an absolute target', async (host) => {
  for (const [path] of ADDRESSES)
    for (const [from, target] of [
      [host, path],
      ['a', `http://${host}${path}`],
    ] as const) {
      const { status, body, headers } = await askFrom(from, target)
      expect([target, status, JSON.parse(body).error.code]).toEqual([
        target,
        400,
        'invalid_request',
      ])
      expect(headers.get('content-security-policy')).toMatch(/./)
      expect(headers.get('cache-control')).toBe('no-store')
    }
})

test('an absolute http target is served like its path, and its host overrides the Host field', async () => {
  const ask = (target: string) =>
    sendRaw(service.url, `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`, 'answer')
  expect((await ask('http://board.example/healthz')).status).toBe(200)
  expect((await ask('http://board.example/llms.txt')).body).toContain('http://board.example/api/v1')
})

test.each(['GET /llms.txt HTTP/1.0\r\n\r\n', 'GET /llms.txt HTTP/1.1\r\nHost:\r\n\r\n'])(
  'a request without a host gets texts with the address that it was sent to: %j',
  async (request) => {
    const answer = await sendRaw(service.url, request, 'answer')
    expect(answer.status).toBe(200)
    expect(answer.body).toContain(`${service.url}/api/v1`)
  },
)

test.each(['GET', 'POST', 'PUT', 'DELETE'])(
  'errors of %s are HTML for pages and envelopes for data',
  async (method) => {
    const typeOf = async (path: string, accept: string) => {
      const answer = await fetch(service.url + path, { method, headers: { accept } })
      expect(answer.status).toBeGreaterThanOrEqual(400)
      return answer.headers.get('content-type')
    }
    expect(await typeOf('/messages/0', '*/*')).toMatch('text/html')
    expect(await typeOf('/messages/0', 'application/json')).toMatch('application/json')
    expect(await typeOf('/transmissions/decode/x', 'text/html')).toMatch('text/html')
    expect(await typeOf('/messages/0.json', 'text/html')).toMatch('application/json')
    expect(await typeOf('/api/v1/nowhere', 'text/html')).toMatch('application/json')
    for (const path of [
      '/messages/.json',
      '/messages/x.txt',
      '/messages/1.csv',
      '/investigations/1.json',
      '/transmissions/2026-11-01.csv',
      '/transmissions/2026-11-01.sha256',
      '/transmissions/x.leaves',
      '/nowhere.json',
    ])
      expect(await typeOf(path, 'text/html')).toMatch('application/json')
    expect(await typeOf('/d/notes.json', 'text/html')).toMatch('text/html')
  },
)

test.each([
  ['/d/..', 400, 'invalid_directory'],
  ['/d/%2e%2E', 400, 'invalid_directory'],
  ['/d/lab/../..', 400, 'invalid_directory'],
  ['/d/.', 400, 'invalid_directory'],
  ['/d/a\\..', 400, 'invalid_directory'],
  ['/messages/../healthz', 404, 'not_found'],
  ['/api/v1/../v1/messages', 404, 'not_found'],
  ['http://x/d/..', 400, 'invalid_directory'],
  ['/..', 404, 'not_found'],
])('the dot segments of %s are not resolved', async (path, status, code) => {
  const accept = 'Accept: application/json\r\n'
  const answer = await sendRaw(
    service.url,
    `GET ${path} HTTP/1.1\r\n${HOST}${accept}\r\n`,
    'answer',
  )
  expect(answer.status).toBe(status)
  expect(JSON.parse(answer.body).error.code).toBe(code)
})

test('needless escapes and the fragment of a target are ignored, and its query is read', async () => {
  const ask = (path: string) =>
    sendRaw(service.url, `GET ${path} HTTP/1.1\r\n${HOST}\r\n`, 'answer')
  for (const path of ['/%68ealthz', '/healthz#top', '/healthz?a=b#c', 'http://x/healthz#d'])
    expect([path, (await ask(path)).status]).toEqual([path, 200])
  expect((await ask('/api/v1/messages?limit=%30#x')).status).toBe(400)
})

test('a method that is not allowed is reported before an invalid type or body', async () => {
  const answer = await fetch(`${service.url}/messages/1`, { method: 'POST', body: 'x' })
  expect(answer.status).toBe(405)
})

test('a path with a trailing or doubled slash answers 404', async () => {
  const trailing = ['/healthz/', '/directories/', '/messages/1.json/', '/d/lab/']
  const doubled = ['//healthz', '/messages//1.json', '/d//lab', '/d/lab//beds', '/d//']
  for (const path of [...trailing, '/api/v1/messages/', ...doubled])
    expect((await fetch(service.url + path)).status).toBe(404)
})

test('a 404 response does not echo the path', async () => {
  const answer = await fetch(`${service.url}/no/such/secret-thing.json`)
  expect(answer.status).toBe(404)
  expect(await answer.text()).not.toContain('secret-thing')
})
