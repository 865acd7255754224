// The files of server/deploy: the nginx configuration in front of two servers on one database, and the systemd units.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findProgram } from '../support/programs.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { type Nginx, startNginx } from './nginx.ts'

const ROOT = join(import.meta.dirname, '../..')
const ARCHIVE = join(ROOT, 'test/fixtures/release-1/transmissions')
const DAY = '2026-11-02'
const WAV = readdirSync(join(ARCHIVE, DAY)).find((name) => name.endsWith('.wav')) as string

const nginxProgram = findProgram('nginx')
const systemdAnalyze = findProgram('systemd-analyze')

describe.skipIf(!nginxProgram)('nginx in front of two servers', () => {
  let dataDir: string
  let servers: TestService[]
  let nginx: Nginx
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'daysignal-'))
    cpSync(ARCHIVE, join(dataDir, 'transmissions'), { recursive: true })
    const env = {
      DATA_DIR: dataDir,
      TRUST_PROXY: '127.0.0.1',
      LIMIT_MESSAGES_ORIGIN_MINUTE: '2',
      LIMIT_DIRECTORIES_ORIGIN_HOUR: '1',
    }
    servers = [await startTestService(env), await startTestService(env)]
    const upstreams = servers.map(({ url }) => new URL(url).host)
    nginx = await startNginx(nginxProgram as string, upstreams)
  })
  afterAll(async () => {
    await nginx.stop()
    for (const server of servers) await server.stop()
    rmSync(dataDir, { recursive: true })
  })

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(nginx.url + path, { headers })
  const post = (path: string, body: object, address: string) =>
    fetch(`${nginx.url}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify(body),
    })
  const media = `/transmission-media/${DAY}/${WAV}`

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

  test('nginx requests a media file once, and keeps its ranges and validators', async () => {
    const first = await get(media)
    const bytes = Buffer.from(await first.arrayBuffer())
    expect([first.status, first.headers.get('x-cache')]).toEqual([200, 'MISS'])
    const etag = first.headers.get('etag') as string
    expect(etag).toBe(`"${WAV.slice(0, 64)}"`)
    const direct = await fetch(`${servers[0]?.url}${media}`)
    expect(Buffer.from(await direct.arrayBuffer()).equals(bytes)).toBe(true)
    for (const name of ['etag', 'repr-digest', 'cache-control', 'accept-ranges', 'content-type'])
      expect(first.headers.get(name), name).toBe(direct.headers.get(name))

    const part = await get(media, { range: 'bytes=100-199' })
    expect([part.status, part.headers.get('x-cache')]).toEqual([206, 'HIT'])
    expect(part.headers.get('content-range')).toBe(`bytes 100-199/${bytes.length}`)
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100, 200))).toBe(true)
    expect((await get(media, { range: 'bytes=0-1,4-5' })).status).toBe(200)
    expect((await get(media, { range: `bytes=${bytes.length}-` })).status).toBe(416)
    expect((await get(media, { 'if-none-match': etag })).status).toBe(304)
  })

  test('a dated file comes from the cache, and clients still revalidate it', async () => {
    const path = `/transmissions/${DAY}.json`
    const first = await get(path)
    const second = await get(path)
    expect(first.headers.get('cache-control')).toBe('no-cache')
    expect(second.headers.get('x-cache')).toBe('HIT')
    expect(await second.text()).toBe(await first.text())
    const etag = second.headers.get('etag') as string
    expect((await get(path, { 'if-none-match': etag })).status).toBe(304)
  })

  test('a page and the JSON at the same address are cached separately', async () => {
    const path = `/transmissions/${DAY}`
    const types = async (accept: string) =>
      (await get(path, { accept })).headers.get('content-type')
    for (let i = 0; i < 2; i++) {
      expect(await types('text/html')).toMatch(/^text\/html/)
      expect(await types('application/json')).toMatch(/^application\/json/)
    }
  })

  test('with one server down every request succeeds, and with both down cached media are served', async () => {
    await servers[0]?.stop()
    for (let i = 0; i < 6; i++) expect((await get('/api/v1/messages')).status).toBe(200)
    await servers[1]?.stop()
    expect((await get('/api/v1/messages')).status).toBe(502)
    expect((await get(media)).status).toBe(200)
    servers = []
  })
})

test.skipIf(!systemdAnalyze)('the systemd units are valid and sandbox the service', () => {
  const units = ['daysignal.service', 'daysignal-snapshot.service', 'daysignal-snapshot.timer']
  const paths = units.map((name) => join(ROOT, 'server/deploy', name))
  const analyze = (...args: string[]) =>
    execFileSync(systemdAnalyze as string, args, { encoding: 'utf8', stdio: 'pipe' })
  expect(analyze('verify', '--man=no', ...paths)).toBe('')
  // The exposure level is 0 to 10, here scaled by ten: 9.6 without a sandbox, at most 2.0 with ours.
  for (const path of paths.filter((name) => name.endsWith('.service')))
    analyze('security', '--offline=yes', '--threshold=20', path)
})
