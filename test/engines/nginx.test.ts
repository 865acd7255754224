// The nginx configuration of server/deploy, in front of two servers on one database.
// Rules: API.md 2.2, 8.2-8.3, 9.5.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { filenameOf } from '../archive/days.ts'
import { makeDays, publishSigned } from '../archive/mirror/signed-archive.ts'
import { operator } from '../support/operator.ts'
import { endProcess, findProgram } from '../support/programs.ts'
import { random } from '../support/random.ts'
import { sendRaw } from '../support/raw.ts'
import { released, temporaryFolder } from '../support/release.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { until } from '../support/time.ts'
import { type Nginx, startNginx } from './nginx.ts'

const nginxProgram = findProgram('nginx')
const python = findProgram('python3')
const REFUSED = '127.0.0.2'

const days = makeDays(2)
const [{ day, media }, later] = days.map((made) => ({
  day: made.snapshot.day,
  media: (kind: 'wav' | 'png') =>
    `/transmission-media/${made.snapshot.day}/${filenameOf(made, kind)}`,
})) as [Paths, Paths]
interface Paths {
  day: string
  media(kind: 'wav' | 'png'): string
}
const filesOf = ({ day }: Paths) =>
  ['json', 'manifest.json', 'sha256'].map((ending) => `/transmissions/${day}.${ending}`)

describe.skipIf(!nginxProgram)('nginx in front of two servers', () => {
  let dataDir: string
  let servers: TestService[]
  let nginx: Nginx
  beforeAll(async () => {
    dataDir = temporaryFolder()
    await publishSigned(join(dataDir, 'transmissions'), days)
    const env = {
      DATA_DIR: dataDir,
      TRUST_PROXY: '127.0.0.1',
      LIMIT_MESSAGES_ORIGIN_MINUTE: '2',
      LIMIT_DIRECTORIES_ORIGIN_HOUR: '1',
    }
    servers = [await startTestService(env), await startTestService(env)]
    const upstreams = servers.map(({ url }) => new URL(url).host)
    nginx = await startNginx(nginxProgram as string, upstreams, refusing(REFUSED))
  })

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(nginx.url + path, { headers })
  const post = (path: string, body: object, address: string) =>
    fetch(`${nginx.url}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify(body),
    })

  test('every server shows what one of them accepted, and limits count the client behind the proxy', async () => {
    expect((await post('/directories', { path: 'lab' }, '203.0.113.1')).status).toBe(201)
    const message = { directory: 'lab', body: 'hello' }
    const statuses = []
    for (let i = 0; i < 4; i++)
      statuses.push((await post('/messages', message, '203.0.113.2')).status)
    expect(statuses).toEqual([201, 201, 429, 429])
    expect((await post('/messages', message, '203.0.113.3')).status).toBe(201)
    for (let i = 0; i < 4; i++) {
      const { messages } = (await (await get('/api/v1/messages')).json()) as { messages: unknown[] }
      expect(messages).toHaveLength(3)
    }
  })

  test('a thousand queries, hosts and accepted types and codings add one copy for each coding of a file', async () => {
    const texts = [...filesOf({ day, media }), ...filesOf(later)]
    const sounds = [media('wav'), media('png'), later.media('wav'), later.media('png')]
    const before = nginx.copies()
    for (const [i, { method, query, ...fields }] of variations(1_000).entries()) {
      const paths = [texts, sounds, [`/transmissions/${day}`]].map((of) => of[i % of.length])
      const answers = paths.map((path) => ask(nginx.url, method, path + query, fields))
      for (const { status, headers: answered } of await Promise.all(answers)) {
        expect(status).toBe(200)
        expect([undefined, 'gzip']).toContain(answered['content-encoding'])
        if (fields['accept-encoding'] === 'gzip;q=0')
          expect(answered['content-encoding']).toBe(undefined)
      }
    }
    await until(() => nginx.copies() - before === 2 * texts.length + sounds.length)
  }, 120_000)

  test('a client gets a file in a coding that it accepts, whichever was cached first', async () => {
    const path = `/transmissions/${day}.manifest.json`
    const direct = Buffer.from(await (await fetch(`${servers[0]?.url}${path}`)).arrayBuffer())
    for (const coding of ['gzip', 'br, gzip', 'identity', 'gzip;q=0', 'gzip;q=1.0', 'deflate']) {
      const { status, headers, body } = await ask(nginx.url, 'GET', path, {
        'accept-encoding': coding,
      })
      expect([coding, status, headers.vary]).toEqual([coding, 200, 'Accept-Encoding'])
      const isGzip = ['gzip', 'br, gzip', 'gzip;q=1.0'].includes(coding)
      expect([coding, headers['content-encoding']]).toEqual([coding, isGzip ? 'gzip' : undefined])
      if (!isGzip) expect(body.equals(direct)).toBe(true)
    }
    expect(await (await get(path)).text()).toBe(direct.toString())
  })

  test('nginx requests a media file once, and keeps its ranges and validators', async () => {
    const path = media('wav')
    const first = await get(path)
    const bytes = Buffer.from(await first.arrayBuffer())
    const etag = first.headers.get('etag') as string
    const direct = await fetch(`${servers[0]?.url}${path}`)
    expect(Buffer.from(await direct.arrayBuffer()).equals(bytes)).toBe(true)
    const fields = ['etag', 'repr-digest', 'cache-control', 'accept-ranges', 'content-type', 'vary']
    for (const name of fields)
      expect([name, first.headers.get(name)]).toEqual([name, direct.headers.get(name)])
    expect(first.headers.has('x-cache')).toBe(false)

    const part = await get(path, { range: 'bytes=100-199' })
    expect(part.status).toBe(206)
    expect(part.headers.get('content-range')).toBe(`bytes 100-199/${bytes.length}`)
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100, 200))).toBe(true)
    const whole = await get(path, { range: 'bytes=0-' })
    expect([whole.status, whole.headers.get('cache-control')]).toEqual([
      206,
      direct.headers.get('cache-control'),
    ])
    expect((await get(path, { range: 'bytes=0-1,4-5' })).status).toBe(200)
    expect((await get(path, { 'if-none-match': etag })).status).toBe(304)
    await until(() => nginx.cacheUses(path).length >= 5)
    expect(nginx.cacheUses(path).filter((use) => use !== 'HIT')).toEqual(['MISS'])
  })

  test('a file of a day comes from the cache for a few seconds, and clients still revalidate it', async () => {
    const path = `/transmissions/${later.day}.json`
    const first = await get(path)
    expect(first.headers.get('cache-control')).toBe('no-cache')
    const etag = first.headers.get('etag') as string
    expect((await get(path, { 'if-none-match': etag })).status).toBe(304)
    await until(async () => {
      expect(await (await get(path)).json()).toEqual(days[1]?.snapshot)
      const uses = nginx.cacheUses(path)
      return uses.includes('HIT') && uses.includes('REVALIDATED')
    })
  })

  test('the page of a day and the JSON at its address are not cached', async () => {
    const path = `/transmissions/${day}`
    for (const [accept, type] of [
      ['text/html', /^text\/html/],
      ['application/json', /^application\/json/],
    ] as const)
      expect((await get(path, { accept })).headers.get('content-type')).toMatch(type)
    expect(new Set(nginx.cacheUses(path))).toEqual(new Set(['-']))
  })

  test.each([
    ['no Host', 'GET / HTTP/1.1\r\n\r\n', 400, 'invalid_request'],
    ['bytes of another protocol', '\x16\x03\x01\x02\r\n\r\n', 400, 'invalid_request'],
    ['TRACE', 'TRACE / HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'method_not_allowed'],
    [
      'a body of 2 MB',
      'POST /api/v1/messages HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n{',
      413,
      'request_too_large',
    ],
    [
      'a long target',
      `GET /${'a'.repeat(40_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
      431,
      'request_too_large',
    ],
    [
      'a long field',
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`,
      431,
      'request_too_large',
    ],
    [
      'an unknown transfer coding',
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
      501,
      'not_implemented',
    ],
    ['another version of HTTP', 'GET / HTTP/3.0\r\nHost: a\r\n\r\n', 505, 'invalid_request'],
    [
      'the address of the errors',
      'GET /nginx-error HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      404,
      'not_found',
    ],
  ])('nginx answers %s with an error envelope', async (_, bytes, status, code) => {
    const answer = await sendRaw(nginx.url, bytes, 'answer')
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.body).error.code).toBe(code)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test.each([
    ['a range past the end', { range: 'bytes=99999999-' }, 416, 'range_not_satisfiable'],
    ['a malformed range', { range: 'bytes=5-3' }, 416, 'range_not_satisfiable'],
    ['a range of no bytes', { range: 'bytes=-0' }, 416, 'range_not_satisfiable'],
    ['another If-Match', { 'if-match': '"x"' }, 412, 'precondition_failed'],
  ])('%s of a cached file gets an error that is not stored', async (_, fields, status, code) => {
    const length = Number((await get(media('png'))).headers.get('content-length'))
    const answer = await get(media('png'), fields)
    expect(answer.status).toBe(status)
    expect(((await answer.json()) as { error: { code: string } }).error.code).toBe(code)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    if (status === 416) expect(answer.headers.get('content-range')).toBe(`bytes */${length}`)
  })

  test('an address that the operator refuses gets 403 with an envelope', async () => {
    const requested = 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
    const answer = await sendRaw(nginx.url, requested, 'close', undefined, REFUSED)
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([403, 'no-store'])
    expect(JSON.parse(answer.body).error.code).toBe('forbidden')
    expect((await sendRaw(nginx.url, requested)).status).toBe(200)
  })

  test('the log has the addresses of requests without their queries', async () => {
    await get('/search?q=kingfisher')
    await until(() => nginx.requests().includes('"GET /search HTTP/1.1" 200'))
    expect(nginx.requests()).not.toContain('kingfisher')
  })

  test('switching transmissions off takes effect for all but cached media, and they go with the cache', async () => {
    const operate = (state: string) =>
      operator({ dataDir }, ['feature', 'transmissions', state, '--reason', 'test'])
    const statuses = (paths: string[]) =>
      Promise.all(paths.map(async (path) => (await get(path)).status))
    const cached = [...filesOf(later), later.media('wav')]
    await statuses(cached)
    expect((await operate('off')).code).toBe(0)
    await until(async () => new Set(await statuses(filesOf(later))).isSubsetOf(new Set([503])))
    expect(await statuses(cached)).toEqual([503, 503, 503, 200])
    expect(await statuses([`/transmissions/${later.day}`, '/transmissions'])).toEqual([503, 503])

    execFileSync('sh', ['-c', lineThatEmptiesTheCache(nginx.cache)])
    expect(nginx.copies()).toBe(0)
    expect(await statuses(cached)).toEqual([503, 503, 503, 503])
    expect((await operate('on')).code).toBe(0)
    await until(async () => new Set(await statuses(cached)).isSubsetOf(new Set([200])))
  })

  test('with one server down every request succeeds, and with both down only cached media are served', async () => {
    expect((await get(media('wav'))).status).toBe(200)
    await servers[0]?.stop()
    for (let i = 0; i < 6; i++) expect((await get('/api/v1/messages')).status).toBe(200)
    await servers[1]?.stop()
    expect((await get(media('wav'))).status).toBe(200)
    const answer = await get('/api/v1/messages')
    expect(answer.status).toBe(502)
    expect(await answer.json()).toEqual({
      error: { code: 'overloaded', message: 'the service does not respond' },
    })
    expect([answer.headers.get('cache-control'), answer.headers.get('retry-after')]).toEqual([
      'no-store',
      '5',
    ])
    await until(async () => (await get(`/transmissions/${later.day}.json`)).status === 502)
  })
})

test.skipIf(!nginxProgram || !python)('nginx answers 504 for a server that is deaf', async () => {
  const server = spawn(python as string, ['-c', DEAF_SERVER], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  released(() => endProcess(server))
  const port = Number(String((await once(server.stdout, 'data'))[0]))
  const pending: Socket[] = []
  // The kernel accepts one more connection than the backlog.
  for (let i = 0; i < 2; i++) pending.push(connect(port, '127.0.0.1').on('error', () => {}))
  await once(pending[0] as Socket, 'connect')
  const nginx = await startNginx(nginxProgram as string, [`127.0.0.1:${port}`])
  const answer = await fetch(`${nginx.url}/healthz`)
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([504, 'no-store'])
  expect(await answer.json()).toMatchObject({ error: { code: 'overloaded' } })
})

/** Listens with the smallest backlog, prints its port and never accepts. */
const DEAF_SERVER = `
import socket, sys
server = socket.socket()
server.bind(('127.0.0.1', 0))
server.listen(0)
print(server.getsockname()[1], flush=True)
sys.stdin.read()`

const operating = readFileSync(new URL('../../server/deploy/OPERATING.md', import.meta.url), 'utf8')

/** Returns the directives of OPERATING.md for another address. */
function refusing(address: string): string {
  const lines = /daysignal-refused\.conf <<'END'\n(.*?)END/s.exec(operating)?.[1]
  if (lines === undefined) throw new Error('OPERATING.md has no directives that refuse an address')
  return lines.replace('203.0.113.7', address)
}

/** Returns the command of OPERATING.md for another folder. */
function lineThatEmptiesTheCache(folder: string): string {
  const line = /`sudo (find \/var\/cache\/daysignal [^`]+)`/.exec(operating)?.[1]
  if (line === undefined) throw new Error('OPERATING.md has no line that empties the cache')
  return line.replace('/var/cache/daysignal', folder)
}

/** Returns seeded variations of a request that must not add copies to a cache. */
function variations(count: number) {
  const { uniform, one } = random(1)
  return Array.from({ length: count }, (_, i) => ({
    method: one(['GET', 'HEAD']),
    query: one(['', `?${i}`, `?limit=${i}`, `?day=x&h=${uniform()}`]),
    host: one(['a', `h${i}.example`, `board.example:${1 + i}`]),
    accept: one(['*/*', 'text/html', 'application/json', `text/x-${i}`]),
    'accept-encoding': one([
      ...['gzip', 'gzip, deflate, br, zstd', 'GZIP;q=1.0', 'identity', 'gzip;q=0', '*', 'br'],
      ...[`x-${i}`, `gzip;q=0.${i}`, `deflate, x-${i}`],
    ]),
    'user-agent': `agent ${i}`,
    cookie: `c=${i}`,
  }))
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/** Sends a request with the given fields and no others, which fetch cannot. */
function ask(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, headers, agent }, async (response) => {
      const { statusCode: status = 0, headers } = response
      resolve({ status, headers, body: await buffer(response) })
    })
    sent.once('error', reject).end()
  })
}
