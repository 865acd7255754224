// The service with its archive in an object store: a day is archived, served and verified, and then the store fails.
// Rules: FORMAT.md 20.1-20.3; API.md 9.12-9.13.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { previousDay } from '../../archive/format/calendar.ts'
import { sha256Of } from '../../archive/format/hash.ts'
import type { Manifest } from '../../archive/format/manifest.ts'
import { childEnvironment } from '../support/programs.ts'
import { startTestService } from '../support/service.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { today, until } from '../support/time.ts'
import { environmentOf, openTestBucket } from './bucket.ts'

const run = promisify(execFile)
const CLOSED_PORT = 1
const yesterday = previousDay(await today())

const { location } = await openTestBucket()
const prefix: string = location.prefix
const storePort = Number(new URL(location.access.endpoint).port)
const proxy = await startProxy(storePort)
const access = { ...location.access, endpoint: `http://127.0.0.1:${proxy.port}` }
const env = environmentOf({ ...location, access })
const service = await startTestService(env)

const command = (name: string, ...args: string[]) => {
  const { dataDir, config } = service
  const variables = { ...env, DATA_DIR: dataDir, DATABASE_URL: config.database }
  const options = { env: childEnvironment(variables), encoding: 'utf8' } as const
  return run(process.execPath, [`pipeline/commands/${name}.ts`, ...args], options)
}

const manifestOf = async () => {
  const { json } = await service.client.get(`/transmissions/${yesterday}.manifest.json`)
  return json as Manifest
}

describe('an archive in an object store', () => {
  it('a day archived by the command is served within a minute, byte for byte, and passes verify', async () => {
    expect((await service.client.get('/transmissions/latest.json')).status).toBe(404)
    const { stdout } = await command('snapshot', '--json', '--day', yesterday)
    expect(JSON.parse(stdout).days).toMatchObject([{ day: yesterday, status: 'published' }])
    const manifest = `/transmissions/${yesterday}.manifest.json`
    await until(async () => (await service.client.get(manifest)).status === 200, 90_000)
    const { wav } = (await manifestOf()).media
    if (!wav.available) throw new Error('there is no sound')
    const whole = await service.client.get(wav.url)
    expect(sha256Of(whole.bytes)).toBe(wav.sha256)
    expect(whole.headers.get('etag')).toBe(`"${wav.sha256}"`)
    expect(whole.headers.get('repr-digest')).toMatch(/^sha-256=:/)
    const part = await service.client.get(wav.url, { range: 'bytes=100-199' })
    expect(part.status).toBe(206)
    expect(Buffer.compare(part.bytes, whole.bytes.subarray(100, 200))).toBe(0)
    const verified = await command('verify', `s3://archive/${prefix}`, '--json')
    expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, findings: [], log: { size: 1 } })
  }, 180_000)

  it('a second run finds the day, and a repair finds nothing to do', async () => {
    expect(JSON.parse((await command('snapshot', '--json')).stdout).days).toEqual([])
    const repaired = JSON.parse((await command('snapshot', '--repair', '--json')).stdout)
    expect(repaired.days).toEqual([{ day: yesterday, status: 'present' }])
  }, 120_000)

  it('with MEDIA_REDIRECT a program is redirected to the store, and a page is not', async () => {
    await service.restart({ MEDIA_REDIRECT: '1' })
    const { wav } = (await manifestOf()).media
    if (!wav.available) throw new Error('there is no sound')
    const url = service.url + wav.url
    const sent = await fetch(url, { redirect: 'manual' })
    expect(sent.status).toBe(302)
    expect(sent.headers.get('cache-control')).toBe('no-store')
    const bytes = await (await fetch(sent.headers.get('location') ?? '')).bytes()
    expect(sha256Of(bytes)).toBe(wav.sha256)
    expect((await service.client.head(wav.url)).status).toBe(200)
    const fromPage = { 'sec-fetch-dest': 'audio', 'sec-fetch-site': 'same-origin' }
    expect((await service.client.get(wav.url, fromPage)).status).toBe(200)
    expect((await service.client.get(wav.url, { 'if-none-match': `"${wav.sha256}"` })).status).toBe(
      304,
    )
    await service.restart()
  }, 60_000)

  it('without the store, cached data is served, the rest answers 503, and the board still works', async () => {
    const { png } = (await manifestOf()).media
    if (!png.available) throw new Error('there is no picture')
    proxy.target = CLOSED_PORT
    proxy.cut()
    const missing = await service.client.get(png.url)
    expect(missing.status).toBe(503)
    expect(missing.headers.get('retry-after')).toMatch(/^[1-9]/)
    expect(missing.json).toMatchObject({ error: { code: 'archive_unavailable' } })
    expect((await manifestOf()).day).toBe(yesterday)
    const board = await service.client.post('/api/v1/directories', { path: 'town' })
    expect(board.status).toBe(201)
    proxy.target = storePort
    await until(async () => (await service.client.get(png.url)).status === 200)
  }, 90_000)
})
