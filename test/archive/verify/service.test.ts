// verify over HTTP: a real service, services with inconsistent responses, and hostile services.
// Rules: FORMAT.md 1.4, 12.2-12.3, 13.1, 19.3.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ArchiveError } from '../../../archive/base/errors.ts'
import { manifestName, snapshotName } from '../../../archive/format/paths.ts'
import type { ClientOptions } from '../../../archive/http/client.ts'
import type { Report } from '../../../archive/verify/findings.ts'
import { listen } from '../../support/listen.ts'
import { inFull } from '../../support/runs.ts'
import { openServed } from '../../support/served.ts'
import { clockAt, startTestService } from '../../support/service.ts'
import { stallClock } from '../../support/stall-clock.ts'
import { openWriter } from '../../support/writers.ts'
import { filenameOf, makeDay, publish, withoutFilm } from '../days.ts'
import { verified } from '../decoding.ts'
import { findingsIn, found } from '../findings.ts'

const first = makeDay('2026-11-17', null)
const second = makeDay('2026-11-18', first)
const without = withoutFilm(second)

const service = await startTestService({}, clockAt('2026-11-20T12:00:00Z'))
const empty = await startTestService({}, clockAt('2026-11-20T12:00:00Z'))
const writer = await openWriter(service.archiveDir, { create: true })
await publish(writer, first)
await publish(writer, without)

async function verify(base: string, timing: ClientOptions = {}): Promise<Report> {
  const source = await openServed(base, { sleep: () => Promise.resolve(), ...timing })
  return verified(source)
}

const serve = async (handle: RequestListener) => (await listen(createServer(handle))).url

/** Starts a proxy in front of the service. @param meddle sends another response and returns true, or returns false */
function between(
  meddle: (path: string, response: ServerResponse) => boolean,
  change: (path: string, body: Buffer) => Buffer = (_, body) => body,
): Promise<string> {
  return serve((request, response) => {
    const path = request.url ?? ''
    if (meddle(path, response)) return
    const relay = async () => {
      const answer = await fetch(service.url + path)
      const body = change(path, Buffer.from(await answer.arrayBuffer()))
      response.writeHead(answer.status, {
        'content-type': answer.headers.get('content-type') ?? '',
      })
      response.end(body)
    }
    relay().catch(() => response.destroy())
  })
}

const untouched = () => false

describe('real services', () => {
  it('a service with a good archive has no findings', async () => {
    const ok = { ok: true, findings: [] }
    const days = ['2026-11-17', '2026-11-18'].map((day) => ({ day, ...ok }))
    expect(await verify(service.url)).toEqual({ ...ok, days })
    expect((await verify(`${service.url}/`)).ok).toBe(true)
    expect((await verify(`${service.url}/transmissions`)).ok).toBe(true)
  })

  it('properties of a list that the verifier does not know are ignored', async () => {
    const added = await between(untouched, (path, body) => {
      if (!path.startsWith('/transmissions/index.json')) return body
      const { items, ...page } = JSON.parse(String(body))
      const more = items.map((item: object) => ({ ...item, weather: null }))
      return Buffer.from(JSON.stringify({ version: 2, ...page, items: more }))
    })
    expect(found(await verify(added))).toEqual([])
  })

  it('a service without any day fails', async () => {
    const message = 'holds no day'
    const findings = [{ code: 'no_days', file: empty.url, message }]
    expect(await verify(empty.url)).toEqual({ ok: false, days: [], findings })
  })

  it('a damaged manifest is reported, though the service leaves the day out of its lists', async () => {
    const path = join(service.archiveDir, '2026-11-18', manifestName('2026-11-18'))
    const original = readFileSync(path)
    rmSync(path)
    writeFileSync(path, '{}')
    const report = await verify(service.url)
    rmSync(path)
    writeFileSync(path, original)
    expect(found(report)).toEqual(['http_status /transmissions/latest.json'])
    expect(report.days.map(({ day }) => day)).toEqual(['2026-11-17'])
  })
})

describe('services with inconsistent responses', () => {
  const snapshot = `/transmissions/${snapshotName('2026-11-17')}`
  const manifest = `/transmissions/${manifestName('2026-11-17')}`
  const png = `/transmission-media/2026-11-17/${filenameOf(first, 'png')}`

  it.each<[string, RegExp, string, string, string[]]>([
    ['in a snapshot', /2026-11-17\.json$/, '"active"', '"quiet"', [`snapshot_hash ${snapshot}`]],
    [
      'in a manifest',
      /manifest\.json$/,
      '"width": 64',
      '"width": 65',
      [`medium_facts ${manifest}`],
    ],
    ['in index.json', /index\.json/, '"active"', '"quiet"', ['/transmissions/index.json']],
    ['in the row of index.csv', /index\.csv/, 'active,', 'quiet,', ['/transmissions/index.csv']],
    ['in the header of index.csv', /index\.csv/, 'day,', 'date,', ['/transmissions/index.csv']],
    ['in latest.json', /latest\.json/, '"active"', '"quiet"', ['/transmissions/latest.json']],
  ])('another value %s is reported', async (_, path, search, replacement, expected) => {
    const base = await between(untouched, (requested, body) =>
      path.test(requested) ? Buffer.from(`${body}`.replace(search, replacement)) : body,
    )
    const report = await verify(base)
    expect(report.ok).toBe(false)
    for (const part of expected) expect(found(report).join('\n')).toContain(part)
  })

  it('another content type of a file is reported', async () => {
    const base = await between((path, response) => {
      if (path !== png) return false
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(first.media.png)
      return true
    })
    expect(found(await verify(base))).toEqual([`content_type ${png}`])
  })

  it('a day that the service does not list is reported', async () => {
    const base = await between(untouched, (path, body) => {
      if (path.startsWith('/transmissions/index.csv'))
        return Buffer.from(`${body}`.replace(/^2026-11-17.*\r\n/m, ''))
      if (!path.startsWith('/transmissions/index.json')) return body
      const page = JSON.parse(`${body}`)
      return Buffer.from(JSON.stringify({ ...page, items: page.items.slice(0, 1) }))
    })
    expect(found(await verify(base))).toEqual([`previous_missing /transmissions/2026-11-18.json`])
  })

  it('a file that the service does not have is reported', async () => {
    const base = await between((path, response) => {
      if (path !== png && path !== manifest) return false
      response.writeHead(404).end()
      return true
    })
    expect(found(await verify(base))).toEqual([`missing ${manifest}`])
  })
})

describe('hostile services', () => {
  it('the verifier stops asking a service that never answers', async () => {
    const clock = stallClock()
    let requests = 0
    const base = await between((path, { socket }) => {
      if (!path.startsWith('/transmission-media/')) return false
      requests += 1
      clock.hold(socket as Socket)
      return true
    })
    const report = await verify(base, clock)
    expect(found(report).map((line) => line.split(' ')[0])).toEqual(Array(5).fill('unreachable'))
    expect(findingsIn(report)[0]?.message).toBe('too little arrived for 30 s')
    expect(requests).toBe(15)
  })

  const repeated = { items: [{ day: '2026-11-17' }], has_more: true, next_before: '2026-11-17' }
  it.each<[string, unknown, string?]>([
    ['is not a page', []],
    ['has items that are not days', { items: [null], has_more: false, next_before: null }],
    ['has paths as days', { items: [{ day: '../../x' }], has_more: false, next_before: null }],
    ['has more days but no cursor', { items: [], has_more: true, next_before: null }],
    ['has the same cursor again', repeated, '&before=2026-11-17'],
  ])('an index that %s is a finding', async (_, page, query = '') => {
    const base = await between((path, response) => {
      if (!path.startsWith('/transmissions/index.json')) return false
      response.end(JSON.stringify(page))
      return true
    })
    expect(found(await verify(base))).toContain(
      `invalid_index /transmissions/index.json?limit=100${query}`,
    )
  })

  inFull('the verifier stops reading an index that never ends', async () => {
    const base = await serve((request, response) => {
      const before = new URL(request.url ?? '', 'http://x').searchParams.get('before')
      if (!request.url?.includes('index.json')) return void response.writeHead(404).end()
      const next = new Date(Date.parse(before ?? '9999-12-31') - 86_400_000)
      const next_before = next.toISOString().slice(0, 10)
      response.end(JSON.stringify({ items: [], has_more: true, next_before }))
    })
    const report = await verify(base)
    expect(found(report)).toContain('invalid_index /transmissions/index.json')
  })
})

it.each([
  [
    'nothing listens on the port',
    'http://127.0.0.1:1025',
    /:1025: no answer \(connect ECONNREFUSED /,
  ],
  ['the host does not exist', 'http://host.invalid', /host\.invalid: no answer \(/],
  ['the port is one that browsers block', 'http://127.0.0.1:6000', /:6000: no answer \(connect /],
  ['the address is not our service', 404, /^http:\S+: the server answers 404$/],
  ['the server answers 503', 503, /^http:\S+: (.*: )?the server answers 503$/],
])('the error is one line when %s', async (_, place, message) => {
  const answer = (status: number) => serve((_, response) => response.writeHead(status).end())
  const work = verify(typeof place === 'string' ? place : await answer(place))
  await expect(work).rejects.toThrow(ArchiveError)
  await expect(work).rejects.toThrow(message)
})
