// Interrupted and slow downloads: when a mirror resumes, waits and gives up.
// Rules: COMMANDS.md 4.1-4.2.
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sha256Of } from '../../../archive/format/hash.ts'
import { stallClock } from '../../support/stall-clock.ts'
import { until } from '../../support/time.ts'
import { filenameOf } from '../days.ts'
import { codesOf, days, mirrorFixture, put, wav } from './mirror-fixture.ts'
import { serveFolder } from './signed-archive.ts'

const at = mirrorFixture()

describe('interrupted files', () => {
  test('an interrupted download resumes at the same byte, and starts over if the ETag has changed', async () => {
    for (const etag of [etagOf(days[0].media.wav), '"other"']) {
      let isBroken = false
      at.server.requests.length = 0
      at.server.tamper = (request, response, bytes) => {
        if (isBroken || request.url !== wav(1)) return false
        isBroken = true
        response.writeHead(200, { etag, 'content-length': bytes.length })
        response.write(bytes.subarray(0, 50_000))
        const staged = join(at.dir, '.incoming', `${wav(1)}.part`)
        const hasArrived = () => existsSync(staged) && statSync(staged).size === 50_000
        void until(hasArrived).then(() => response.destroy())
        return true
      }
      expect(await at.mirror({ jobs: 1 })).toMatchObject({ ok: true })
      expect(at.server.requests).toContain(`${wav(1)} bytes=50000-`)
      at.expectOriginBytes()
      rmSync(at.dir, { recursive: true })
    }
  })

  test('a download that a killed run left is resumed, and one with wrong bytes starts over', async () => {
    await at.mirror({ selection: { media: [] } })
    const staging = join(at.dir, '.incoming/2026-11-01')
    const name = filenameOf(days[0], 'wav')
    const whole = days[0].media.wav
    for (const [part, ranges] of [
      [whole.subarray(0, 500), 1],
      [new Uint8Array(500), 1],
      [new Uint8Array(whole.length), 0],
      [whole, 0],
    ] as const) {
      rmSync(join(at.dir, '2026-11-01', name), { force: true })
      mkdirSync(staging, { recursive: true })
      put(staging, `${name}.part`, part)
      put(staging, `${name}.etag`, etagOf(whole))
      at.server.requests.length = 0
      expect(await at.mirror({ selection: { media: ['wav'] } })).toMatchObject({ ok: true })
      const ofFile = at.server.requests.filter((path) => path === `${wav(1)} bytes=500-`)
      expect(ofFile).toHaveLength(ranges)
      at.expectOriginBytes()
    }
  })
})

function etagOf(bytes: Uint8Array): string {
  return `"${Buffer.from(sha256Of(bytes), 'hex').toString('base64url')}"`
}

describe('busy, slow and absent servers', () => {
  test('a mirror waits for Retry-After of 503 and 429, and otherwise pauses by itself', async () => {
    const waits: number[] = []
    const responses = [
      [503, '7'],
      [429, '2'],
      [500, null],
    ] as const
    let count = 0
    at.server.tamper = (request, response) => {
      const [status, wait] = (request.url === wav(1) && responses[count++]) || []
      if (!status) return false
      response.writeHead(status, wait ? { 'retry-after': wait } : {}).end()
      return true
    }
    const sleep = (ms: number) => Promise.resolve(void waits.push(ms))
    expect(await at.mirror({ jobs: 1, client: { sleep } })).toMatchObject({ ok: true })
    expect(waits).toEqual([7000, 2000, 2000])
  })

  test('a mirror waits at most an hour per run, however often the server sends Retry-After', async () => {
    let waited = 0
    at.answer(/\.(wav|mp4|png)$/, (_, response) => {
      response.writeHead(429, { 'retry-after': '1500' }).end()
    })
    const sleep = async (ms: number) => {
      waited += ms
    }
    const { findings } = await at.mirror({ jobs: 1, client: { sleep } })
    expect(waited).toBe(3_000_000)
    const [first, ...others] = findings
    expect(first).toMatchObject({ code: 'http_status', file: wav(1).slice(1) })
    expect(first?.message).toContain('429, and asks to wait beyond the 60 minutes')
    expect(others).toHaveLength(5)
    // Two waits, then one request for each of five files; the sixth is not requested.
    expect(at.server.requests.filter((path) => /wav|mp4|png/.test(path))).toHaveLength(7)
  })

  test('a 429 whose Retry-After cannot be parsed counts as one of five attempts', async () => {
    const values = ['soon', new Date(Date.now() + 60_000).toUTCString()]
    let count = 0
    at.answer(wav(1), (_, response) => {
      response.sendDate = false
      response.writeHead(429, { 'retry-after': values[count++ % 2] }).end()
    })
    expect((await at.mirror()).findings).toEqual([
      { code: 'http_status', file: wav(1).slice(1), message: 'the server answers 429' },
    ])
    expect(count).toBe(5)
  })

  test.each([
    ['are not requested after five failed ones in a row', 502, 25],
    ['are requested if one of five failed ones was only missing', 404, 26],
  ])('the remaining files %s', async (_, third, requests) => {
    const paths: string[] = []
    at.server.tamper = (request, response) => {
      const path = request.url ?? ''
      if (!/\.(wav|mp4|png)$/.test(path)) return false
      paths.push(path)
      response.writeHead(new Set(paths).size === 3 ? third : 502).end()
      return true
    }
    expect((await at.mirror({ jobs: 1 })).findings).toHaveLength(6)
    expect(paths).toHaveLength(requests)
  })

  test('a mirror gives up on a stalled request, and tries a file five times', async () => {
    const clock = stallClock()
    at.answer(wav(1), (request, response, bytes) => {
      response.writeHead(200, { 'content-length': bytes.length })
      response.write(bytes.subarray(0, 100))
      clock.hold(request.socket)
    })
    const report = await at.mirror({}, clock)
    expect(report).toMatchObject({ ok: false, updated: 1 })
    expect(report.findings).toEqual([
      { code: 'unreachable', file: wav(1).slice(1), message: 'too little arrived for 30 s' },
    ])
    expect(at.server.requests.filter((path) => path.startsWith(wav(1)))).toHaveLength(5)
    at.expectOriginBytes()
    at.server.tamper = null
    expect(await at.mirror()).toMatchObject({ ok: true, updated: 1 })
  })

  test('a server that does not respond gives one finding, and the selection is not stored', async () => {
    await at.server.close()
    const report = await at.mirror()
    expect(codesOf(report)).toEqual(['unreachable'])
    at.server = await serveFolder(at.source)
    expect(await at.mirror({ selection: { media: ['png'] } })).toMatchObject({ ok: true })
  })
})
