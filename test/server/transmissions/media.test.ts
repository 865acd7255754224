// Media over HTTP: in full, in ranges, conditional, and from failing files.
// Rules: API.md 9.5.
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { MediaKind } from '../../../archive/format/media.ts'
import { whileAway, whileOverwritten } from '../../support/overwrite-file.ts'
import { clockAt, startTestService } from '../../support/service.ts'
import { elapse, until } from '../../support/time.ts'
import { makeArchive, type SealedDay } from './archive.ts'

const DAY = '2026-11-18'
/** More than all buffers between a file and a client that reads nothing can hold [bytes]. */
const LARGE = 64 * 1024 * 1024

const clock = clockAt('2026-11-20T12:00:00Z')
const service = await startTestService({}, clock)
const media = { wav: randomBytes(300_000), mp4: randomBytes(LARGE) }
const days = await makeArchive(service.archiveDir, [DAY, '2026-11-19'], {
  [DAY]: { media },
  '2026-11-19': { media: { mp4: null } },
})
const day: SealedDay = days.get(DAY) as SealedDay

const mediumOf = (kind: MediaKind) => {
  const medium = day.manifest.media[kind]
  if (!medium.available) throw new Error(`${kind} is not available`)
  return { ...medium, content: bufferOf(day.media[kind]) }
}
const bufferOf = ({ buffer, byteOffset, length }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, length)
const fileOf = (kind: MediaKind) => join(service.archiveDir, DAY, mediumOf(kind).filename)
const get = (kind: MediaKind, headers: Record<string, string> = {}) =>
  service.client.get(mediumOf(kind).url, headers)

describe('media files', () => {
  test.each([
    ['wav', 'audio/wav'],
    ['mp4', 'video/mp4'],
    ['png', 'image/png'],
  ] as const)(
    'GET of a %s returns it whole, with its type and digest, for good',
    async (kind, type) => {
      const { content, sha256 } = mediumOf(kind)
      const { status, bytes, headers } = await get(kind)
      expect(status).toBe(200)
      expect(content.equals(bytes)).toBe(true)
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': type,
        'content-length': String(content.length),
        etag: `"${sha256}"`,
        'cache-control': 'public, max-age=31536000, immutable',
        'accept-ranges': 'bytes',
        'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
        'x-content-type-options': 'nosniff',
      })
    },
  )

  test('HEAD answers with the same headers and ignores Range', async () => {
    const whole = await get('wav')
    const { url } = mediumOf('wav')
    for (const headers of [{}, { range: 'bytes=0-9' }, { range: 'bytes=999999-' }]) {
      const head = await service.client.head(url, headers as Record<string, string>)
      expect(head).toMatchObject({ status: 200, text: '' })
      for (const name of ['content-type', 'content-length', 'etag', 'repr-digest', 'cache-control'])
        expect(head.headers.get(name)).toBe(whole.headers.get(name))
      expect(head.headers.get('content-range')).toBeNull()
    }
  })

  test.each([
    ['another hash', DAY, `${'0'.repeat(64)}.wav`],
    ['another kind', DAY, (name: string) => name.replace('.wav', '.png')],
    ['another day', '2026-11-19', (name: string) => name],
    ['a day that is not archived', '2026-11-17', (name: string) => name],
    ['a day in the future', '2026-12-01', (name: string) => name],
    ['upper case', DAY, (name: string) => name.toUpperCase()],
    ['the snapshot', DAY, `${DAY}.json`],
    ['the manifest', DAY, `${DAY}.manifest.json`],
    ['a path', DAY, (name: string) => `..%2f${DAY}%2f${name}`],
    ['a NUL', DAY, (name: string) => `${name}%00`],
    ['another extension', DAY, (name: string) => name.replace('.wav', '.mp3')],
    ['nothing', DAY, ''],
  ] as const)('%s is not found', async (_what, dayInPath, change) => {
    const { filename } = mediumOf('wav')
    const name = typeof change === 'string' ? change : change(filename)
    const reply = await service.client.get(`/transmission-media/${dayInPath}/${name}`)
    expect(reply.status).toBe(404)
    if (name !== '') expect(reply.code).toBe('media_not_found')
    expect(reply.headers.get('cache-control')).toBe('no-store')
  })
})

describe('ranges', () => {
  test.each([
    ['bytes=0-0', 0, 0],
    ['bytes=0-99', 0, 99],
    ['bytes=0-300000', 0, 299_999],
    ['bytes=299990-', 299_990, 299_999],
    ['bytes=-10', 299_990, 299_999],
    ['bytes=-300000', 0, 299_999],
    ['bytes=-999999', 0, 299_999],
    ['bytes=5-99999999999999999999999', 5, 299_999],
    ['Bytes=5-6', 5, 6],
    ['bytes= 5-6 ', 5, 6],
  ])('the range %s returns exactly its bytes', async (range, start, end) => {
    const { status, bytes, headers } = await get('wav', { range })
    expect(status).toBe(206)
    expect(headers.get('content-range')).toBe(`bytes ${start}-${end}/300000`)
    expect(headers.get('content-length')).toBe(String(end - start + 1))
    expect(headers.get('etag')).toBe(`"${mediumOf('wav').sha256}"`)
    const expected = mediumOf('wav').content.subarray(start, end + 1)
    expect(expected.equals(bytes)).toBe(true)
  })

  test.each(['bytes=300000-', 'bytes=300000-400000', 'bytes=-0', `bytes=${'9'.repeat(20)}-`])(
    'the unsatisfiable range %s returns 416 with the length, and no-store',
    async (range) => {
      const { status, headers, code } = await get('wav', { range })
      expect({ status, code }).toEqual({ status: 416, code: 'range_not_satisfiable' })
      expect(headers.get('content-range')).toBe('bytes */300000')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('etag')).toBeNull()
    },
  )

  test.each([
    ...['', 'bytes', 'bytes=', 'bytes=-', 'bytes=6-5', 'bytes=x', 'bytes=a-b', 'bytes=--5'],
    ...['bytes=0-9,20-29', 'bytes=0-9,999999-', 'bytes=0-5, 900000-', 'bytes=900000-,0-5'],
    ...['bytes=-5-', 'bytes=1.5-2', 'bytes=0x1-2', 'bytes =0-5', 'lines=0-9', '0-5', 'bytes=0-5;'],
  ])('the range "%s", multiple or malformed, returns the whole file', async (range) => {
    const { status, bytes, headers } = await get('wav', { range })
    expect({ status, length: bytes.length }).toEqual({ status: 200, length: 300_000 })
    expect(headers.get('content-range')).toBeNull()
  })

  test('for any request, the returned range lies within the file', async () => {
    const { content } = mediumOf('wav')
    const place = fc.nat(400_000)
    const part = fc.oneof(place, fc.constantFrom('', '-', ',', ' ', '9'.repeat(40)))
    const range = fc.oneof(
      fc.tuple(place, fc.constant('-'), place),
      fc.array(part, { maxLength: 5 }),
    )
    await fc.assert(
      fc.asyncProperty(range, async (parts) => {
        const { status, headers, bytes } = await get('wav', { range: `bytes=${parts.join('')}` })
        expect([200, 206, 416]).toContain(status)
        if (status !== 206) return
        const given = /^bytes (\d+)-(\d+)\/300000$/.exec(headers.get('content-range') ?? '') ?? []
        const [start, end] = given.slice(1).map(Number) as [number, number]
        expect(start).toBeLessThanOrEqual(end)
        expect(end).toBeLessThan(content.length)
        expect(content.subarray(start, end + 1).equals(bytes)).toBe(true)
      }),
    )
  })

  test('a range with If-Range is served only if the tag matches exactly', async () => {
    const { sha256 } = mediumOf('wav')
    const ask = async (ifRange: string) =>
      (await get('wav', { range: 'bytes=0-9', 'if-range': ifRange })).status
    expect(await ask(`"${sha256}"`)).toBe(206)
    expect(await ask(`W/"${sha256}"`)).toBe(200)
    expect(await ask('"other"')).toBe(200)
    expect(await ask('Fri, 20 Nov 2037 00:00:00 GMT')).toBe(200)
  })

  test('If-None-Match precedes Range and returns 304 without a body', async () => {
    const { sha256 } = mediumOf('wav')
    for (const tag of [`"${sha256}"`, `W/"${sha256}"`, `"x", "${sha256}"`, '*']) {
      const reply = await get('wav', { 'if-none-match': tag, range: 'bytes=0-9' })
      expect(reply).toMatchObject({ status: 304, text: '' })
      expect(reply.headers.get('etag')).toBe(`"${sha256}"`)
    }
    for (const tag of ['"x"', 'W/"x"', `W/"x", "${sha256}x"`])
      expect(await get('wav', { 'if-none-match': tag, range: 'bytes=0-9' })).toMatchObject({
        status: 206,
      })
  })

  test('If-Match precedes If-None-Match and returns 412 unless it names the file', async () => {
    const { sha256 } = mediumOf('wav')
    const own = `"${sha256}"`
    const ask = async (headers: Record<string, string>) => (await get('wav', headers)).status
    for (const match of [own, `"x", ${own}`, '*']) {
      expect(await ask({ 'if-match': match })).toBe(200)
      expect(await ask({ 'if-match': match, 'if-none-match': own })).toBe(304)
      expect(await ask({ 'if-match': match, range: 'bytes=0-9' })).toBe(206)
    }
    for (const match of ['"x"', `W/${own}`, sha256, '']) {
      const reply = await get('wav', {
        'if-match': match,
        'if-none-match': own,
        range: 'bytes=0-9',
      })
      expect(reply).toMatchObject({ status: 412, code: 'precondition_failed' })
      expect(reply.headers.get('cache-control')).toBe('no-store')
    }
  })
})

/** File descriptors that this process, which runs the service too, has open on a file. */
function descriptorsOf(path: string): number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`) === path
      } catch {
        return false
      }
    })
}

/** Requests a medium on a separate socket and reads only the first bytes. */
function stalledRequest(path: string, method = 'GET'): Promise<Socket> {
  const { hostname, port } = new URL(service.url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    socket.once('error', reject)
    socket.once('data', () => {
      socket.pause()
      resolve(socket)
    })
    socket.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
  })
}

describe.runIf(existsSync('/proc/self/io'))('file descriptors', () => {
  test('a file is read no faster than its clients read, through one descriptor for all of them', async () => {
    const { url } = mediumOf('mp4')
    const before = bytesRead()
    const sockets = await Promise.all([1, 2, 3].map(() => stalledRequest(url)))
    await elapse(300, 'without backpressure the whole file would be read by now')
    expect(descriptorsOf(fileOf('mp4'))).toHaveLength(1)
    expect(bytesRead() - before).toBeLessThan(LARGE / 2)
    for (const socket of sockets) socket.destroy()
  })

  test('a file is opened once for many responses and closed after ten idle seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      await Promise.all(Array.from({ length: 20 }, () => get('wav', { range: 'bytes=5-70000' })))
      vi.advanceTimersByTime(9_999)
      expect(descriptorsOf(fileOf('wav'))).toHaveLength(1)
      vi.advanceTimersByTime(1)
    } finally {
      vi.useRealTimers()
    }
    await until(() => descriptorsOf(fileOf('wav')).length === 0)
  })

  test('a file is not opened for HEAD, for 304 and for 416', async () => {
    const { url, sha256 } = mediumOf('png')
    await service.client.head(url)
    await service.client.get(url, { 'if-none-match': `"${sha256}"` })
    await service.client.get(url, { range: 'bytes=999999-' })
    expect(descriptorsOf(fileOf('png'))).toEqual([])
  })
})

/** Bytes that this process, which runs the service too, has read from files and sockets. */
const bytesRead = () => Number(/rchar: ([0-9]+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])

describe('failing files', () => {
  test('a file that is missing or has a different size returns 503 within a second, until it is repaired', async () => {
    const path = fileOf('png')
    const expectDamage = async () => {
      clock.pass(1_000)
      const reply = await get('png')
      expect(reply).toMatchObject({ status: 503, code: 'archive_unavailable' })
      expect(reply.headers.get('cache-control')).toBe('no-store')
      expect(reply.headers.get('etag')).toBeNull()
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    await whileAway(path, expectDamage)
    await whileOverwritten(path, 'short', expectDamage)
    clock.pass(1_000)
    expect(await get('png')).toMatchObject({ status: 200 })
  })

  test('if a file shrinks while it is sent, the connection is closed, so that the client does not hang', async () => {
    const path = fileOf('mp4')
    const socket = await stalledRequest(mediumOf('mp4').url)
    chmodSync(path, 0o644)
    truncateSync(path, 1_000_000)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => {})
    socket.resume()
    try {
      await closed
      await until(() => service.complaints.join().includes('could not be sent in full'))
    } finally {
      writeFileSync(path, mediumOf('mp4').content)
      chmodSync(path, 0o444)
    }
    expect(await get('mp4', { range: 'bytes=-5' })).toMatchObject({ status: 206 })
  })
})
