// Mirrors of archives that a plain file server serves: what is fetched, what is refused, what is left in the folder.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sha256Of } from '../../../archive/format/hash.ts'
import { manifestBytes } from '../../../archive/format/manifest.ts'
import type { Selection } from '../../../archive/format/mirror.ts'
import { parseVkey } from '../../../archive/log/note.ts'
import { prepareFolder } from '../../../archive/mirror/folder.ts'
import { type MirrorOptions, mirrorArchive } from '../../../archive/mirror/mirror.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import { folderSource } from '../../../archive/verify/folder.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { elapse, until } from '../../support/time.ts'
import { type Day, filenameOf, makeManifest } from '../days.ts'
import { decode } from '../decoding.ts'
import { type MemoryKeeper, memoryKeeper, vkeyOf } from '../signing.ts'
import {
  type FileServer,
  filesIn,
  makeDays,
  publishSigned,
  sendFile,
  serveFolder,
  signDays,
} from './signed-archive.ts'

let root: string
let model: string
let days: Day[]
/** What the database of the origin keeps after two days. */
let kept: string | null
let dir: string
let source: string
let server: FileServer

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'daysignal-mirror-'))
  model = join(root, 'model')
  days = makeDays(3)
  const keeper = memoryKeeper()
  await publishSigned(model, days.slice(0, 2), keeper)
  kept = keeper.kept
})
afterAll(() => rmSync(root, { recursive: true, force: true }))
beforeEach(async () => {
  const place = mkdtempSync(join(root, 'case-'))
  source = join(place, 'source')
  dir = join(place, 'mirror')
  cpSync(model, source, { recursive: true })
  server = await serveFolder(source)
})
afterEach(() => server.close())

async function mirror(options: Partial<MirrorOptions> = {}, stallMs = 30_000) {
  await prepareFolder(options.dir ?? dir)
  const client = { stallMs, sleep: () => Promise.resolve() }
  const rest = { source: server.url, dir, selection: {}, keys: null, jobs: 2 }
  return mirrorArchive({ ...rest, client, ...options })
}

/** The third day is published at the origin. */
async function publishThird(): Promise<void> {
  const keeper: MemoryKeeper = Object.assign(memoryKeeper(), { kept })
  await publishSigned(source, days.slice(2), keeper)
}

function put(folder: string, name: string, bytes: string | Uint8Array): void {
  rmSync(join(folder, name), { force: true })
  writeFileSync(join(folder, name), bytes)
}

const codesOf = ({ findings }: { findings: { code: string }[] }) => findings.map(({ code }) => code)
const mediaIn = (folder: string) =>
  [...filesIn(folder).keys()].filter((name) => /\.(wav|mp4|png)$/.test(name)).sort()
const wav = (day: number) => `/2026-11-0${day}/${filenameOf(days[day - 1] as Day, 'wav')}`

/** Nothing has a name of the archive but the bytes of the model. */
function expectNothingWrong(folder = dir): void {
  const whole = new Map([...filesIn(model), ...filesIn(source)])
  for (const [name, bytes] of filesIn(folder)) {
    if (/^mirror\.json$|^\.staging\/|^\.refused\/|SHA256SUMS$|\.sha256$/.test(name)) continue
    expect([...whole.keys()]).toContain(name)
    if (/\.(wav|mp4|png|json)$/.test(name))
      expect(sha256Of(bytes)).toBe(sha256Of(whole.get(name) as Buffer))
  }
}

describe('mirrors', () => {
  test('a mirror has every file of the archive byte for byte, and verifies', async () => {
    expect(await mirror()).toMatchObject({ ok: true, days: 2, updated: 2, findings: [] })
    const files = filesIn(dir)
    for (const [name, bytes] of filesIn(source))
      if (!/\.tlog-proof$|^\.seals/.test(name)) expect(files.get(name), name).toEqual(bytes)
    const report = await verifyArchive(folderSource(dir), { decode })
    expect(report).toMatchObject({ ok: true, log: { size: 2 } })
    expect(readdirSync(dir)).not.toContain('.refused')
  })

  test('a mirror requests at most six files when nothing is new, and fetches only what is', async () => {
    await mirror()
    server.requests.length = 0
    expect(await mirror()).toMatchObject({ ok: true, updated: 0 })
    expect(server.requests.length).toBeLessThanOrEqual(6)
    await publishThird()
    server.requests.length = 0
    expect(await mirror()).toMatchObject({ ok: true, days: 3, updated: 1 })
    const ofDays = server.requests.filter((path) => path.startsWith('/2026'))
    expect(ofDays).toHaveLength(4)
    expect(ofDays.every((path) => path.startsWith('/2026-11-03/'))).toBe(true)
  })

  test('a mirror of a mirror is the same except for mirror.json', async () => {
    await mirror()
    const second = await serveFolder(dir)
    const copy = `${dir}-copy`
    expect(await mirror({ source: second.url, dir: copy })).toMatchObject({ ok: true })
    await second.close()
    const [one, other] = [filesIn(dir), filesIn(copy)]
    expect(one.get('mirror.json')).not.toEqual(other.get('mirror.json'))
    for (const files of [one, other]) files.delete('mirror.json')
    expect(other).toEqual(one)
  })

  test('a mirror has the days and media that were asked for, stores that choice, and can only widen it', async () => {
    const selection: Partial<Selection> = { from: '2026-11-02', media: ['png'] }
    await mirror({ selection })
    expect(mediaIn(dir)).toEqual([`2026-11-02/${filenameOf(days[1] as Day, 'png')}`])
    await publishThird()
    await mirror()
    expect(mediaIn(dir)).toHaveLength(2)
    await expect(mirror({ selection: { media: [] } })).rejects.toMatchObject({
      code: 'not_a_mirror',
    })
    expect(await mirror({ selection: { media: ['wav', 'png'] } })).toMatchObject({ ok: true })
    expect(mediaIn(dir)).toHaveLength(4)
    expectNothingWrong()
  })

  test('a new mirror fails in a folder that is not empty', async () => {
    mkdirSync(dir)
    put(dir, 'letter', 'mine')
    await expect(mirror()).rejects.toMatchObject({ code: 'not_a_mirror' })
    expect(readdirSync(dir)).toEqual(['letter'])
    await expect(prepareFolder(model)).rejects.toMatchObject({ code: 'not_a_mirror' })
  })

  test('a disk that fails ends a run with the folder in its line, once nothing is in work any more', async () => {
    await mirror({ selection: { media: [] } })
    rmSync(join(dir, '2026-11-01'), { recursive: true })
    rmSync(join(dir, '2026-11-02'), { recursive: true })
    put(join(dir, '.staging'), '2026-11-01', 'in the way')
    const order: string[] = []
    server.tamper = (request, response, bytes) => {
      if (request.url !== '/2026-11-02/2026-11-02.manifest.json') return false
      void elapse(200, 'the failure of the other day comes first').then(() => {
        order.push('answered')
        sendFile(request, response, bytes)
      })
      return true
    }
    const failed = await mirror().catch((error) => order.push('ended') && error)
    expect(failed.message).toMatch(`${dir}: cannot be written: ENOTDIR`)
    expect(order).toEqual(['answered', 'ended'])
  })

  test('a mirror fetches again a file that was lost or has another size', async () => {
    await mirror()
    const before = filesIn(dir)
    const [sound, picture] = mediaIn(dir) as [string, string]
    rmSync(join(dir, sound))
    overwriteFile(join(dir, picture), 'x')
    rmSync(join(dir, '2026-11-01/2026-11-01.json'))
    rmSync(join(dir, '2026-11-02/2026-11-02.manifest.json'))
    expect(await mirror()).toMatchObject({ ok: true })
    expect(filesIn(dir)).toEqual(before)
  })
})

describe('interrupted files', () => {
  test('an interrupted file resumes at the same byte, under the same tag', async () => {
    for (const etag of [etagOf((days[0] as Day).media.wav), '"other"']) {
      let isBroken = false
      server.requests.length = 0
      server.tamper = (request, response, bytes) => {
        if (isBroken || request.url !== wav(1)) return false
        isBroken = true
        response.writeHead(200, { etag, 'content-length': bytes.length })
        response.write(bytes.subarray(0, 50_000))
        const staged = join(dir, '.staging', `${wav(1)}.part`)
        const hasArrived = () => existsSync(staged) && statSync(staged).size === 50_000
        void until(hasArrived).then(() => response.destroy())
        return true
      }
      expect(await mirror({ jobs: 1 })).toMatchObject({ ok: true })
      expect(server.requests).toContain(`${wav(1)} bytes=50000-`)
      expectNothingWrong()
      rmSync(dir, { recursive: true })
    }
  })

  test('a file that a killed run left resumes, and one with wrong bytes starts from scratch', async () => {
    await mirror({ selection: { media: [] } })
    const staging = join(dir, '.staging/2026-11-01')
    const name = filenameOf(days[0] as Day, 'wav')
    const whole = (days[0] as Day).media.wav
    for (const [part, ranges] of [
      [whole.subarray(0, 500), 1],
      [new Uint8Array(500), 1],
      [new Uint8Array(whole.length), 0],
      [whole, 0],
    ] as const) {
      rmSync(join(dir, '2026-11-01', name), { force: true })
      mkdirSync(staging, { recursive: true })
      put(staging, `${name}.part`, part)
      put(staging, `${name}.etag`, etagOf(whole))
      server.requests.length = 0
      expect(await mirror({ selection: { media: ['wav'] } })).toMatchObject({ ok: true })
      const ofFile = server.requests.filter((path) => path === `${wav(1)} bytes=500-`)
      expect(ofFile).toHaveLength(ranges)
      expectNothingWrong()
    }
  })
})

function etagOf(bytes: Uint8Array): string {
  return `"${Buffer.from(sha256Of(bytes), 'hex').toString('base64url')}"`
}

describe('servers that cannot answer now', () => {
  test('a mirror retries after Retry-After, also when the server is busy', async () => {
    const waits: number[] = []
    const answers = [
      [503, '7'],
      [429, '2'],
      [500, null],
    ] as const
    let count = 0
    server.tamper = (request, response) => {
      const answer = request.url === wav(1) ? answers[count++] : undefined
      if (!answer) return false
      response.writeHead(answer[0], answer[1] ? { 'retry-after': answer[1] } : {}).end()
      return true
    }
    const sleep = (ms: number) => Promise.resolve(void waits.push(ms))
    expect(await mirror({ jobs: 1, client: { sleep } })).toMatchObject({ ok: true })
    expect(waits).toEqual([7000, 2000, 2000])
  })

  test('a mirror waits an hour in a run at most, however often a server asks for it', async () => {
    let waited = 0
    server.tamper = (request, response) => {
      if (!/\.(wav|mp4|png)$/.test(request.url ?? '')) return false
      response.writeHead(429, { 'retry-after': '1500' }).end()
      return true
    }
    const sleep = async (ms: number) => {
      waited += ms
    }
    const { findings } = await mirror({ jobs: 1, client: { sleep } })
    expect(waited).toBe(3_000_000)
    const [first, ...others] = findings
    expect(first).toMatchObject({ code: 'http_status', file: wav(1).slice(1) })
    expect(first?.message).toContain('429, and asks to wait beyond the 60 minutes')
    expect(others).toHaveLength(5)
    // Two waits, then one request for each of five files; the sixth is not asked for.
    expect(server.requests.filter((path) => /wav|mp4|png/.test(path))).toHaveLength(7)
  })

  test('a mirror gives up a stalled request, and tries a file five times', async () => {
    server.tamper = (request, response, bytes) => {
      if (request.url !== wav(1)) return false
      response.writeHead(200, { 'content-length': bytes.length })
      response.write(bytes.subarray(0, 100))
      return true
    }
    const report = await mirror({}, 100)
    expect(report).toMatchObject({ ok: false, updated: 1 })
    expect(report.findings).toEqual([
      { code: 'unreachable', file: wav(1).slice(1), message: 'too little came for 0.1 s' },
    ])
    expect(server.requests.filter((path) => path.startsWith(wav(1)))).toHaveLength(5)
    expectNothingWrong()
    server.tamper = null
    expect(await mirror()).toMatchObject({ ok: true, updated: 1 })
  })

  test('a mirror gives up a server that sends a byte now and then', async () => {
    server.tamper = (request, response, bytes) => {
      if (request.url !== wav(1)) return false
      response.writeHead(200, { 'content-length': bytes.length })
      const drip = setInterval(() => response.write('x'), 20)
      response.on('close', () => clearInterval(drip))
      return true
    }
    expect(codesOf(await mirror({ selection: { media: ['wav'] } }, 100))).toEqual(['unreachable'])
    expectNothingWrong()
  })

  test('a server that does not answer at all is one finding, and fixes no selection', async () => {
    await server.close()
    const report = await mirror()
    expect(codesOf(report)).toEqual(['unreachable'])
    server = await serveFolder(source)
    expect(await mirror({ selection: { media: ['png'] } })).toMatchObject({ ok: true })
  })
})

describe('hostile servers', () => {
  const OF_THE_FIRST_SOUND: [string, (bytes: Buffer) => Buffer, string][] = [
    [
      'a byte changed',
      (bytes) => Buffer.concat([bytes.subarray(1), Buffer.from('x')]),
      'medium_hash',
    ],
    ['cut short', (bytes) => bytes.subarray(0, -1), 'unreachable'],
    ['a byte too many', (bytes) => Buffer.concat([bytes, Buffer.from('x')]), 'too_large'],
    ['nothing', () => Buffer.alloc(0), 'unreachable'],
  ]
  test.each(OF_THE_FIRST_SOUND)(
    'a medium that is sent with %s is not published',
    async (_, change, code) => {
      server.tamper = (request, response, bytes) => {
        if (request.url !== wav(1)) return false
        sendFile(request, response, change(bytes))
        return true
      }
      const report = await mirror()
      expect(codesOf(report)).toEqual([code])
      expectNothingWrong()
      expect(mediaIn(dir)).not.toContain(wav(1).slice(1))
    },
  )

  test('a mirror does not follow a redirect', async () => {
    const elsewhere = await serveFolder(source)
    server.tamper = (request, response) => {
      if (request.url !== wav(1)) return false
      response.writeHead(302, { location: elsewhere.url + wav(1) }).end()
      return true
    }
    expect(codesOf(await mirror())).toEqual(['http_status'])
    expect(elsewhere.requests).toEqual([])
    await elsewhere.close()
  })

  test('a mirror cuts off a body without an end', async () => {
    let sent = 0
    server.tamper = (request, response) => {
      if (request.url !== wav(1) && request.url !== '/log') return false
      response.writeHead(200)
      const more = () => {
        sent += 65_536
        response.write(Buffer.alloc(65_536, 'x'), () => response.destroyed || more())
      }
      more()
      return true
    }
    expect((await mirror()).findings).toMatchObject([
      { code: 'too_large', file: `${server.url}/log` },
    ])
    expect(sent).toBeLessThan(64 * 1024 * 1024)
  })

  test('a mirror writes nothing behind a link in the place of a day', async () => {
    await mirror()
    const elsewhere = join(root, 'elsewhere')
    renameSync(join(dir, '2026-11-01'), elsewhere)
    symlinkSync(elsewhere, join(dir, '2026-11-01'))
    const [medium = ''] = readdirSync(elsewhere).filter((name) => name.endsWith('.wav'))
    rmSync(join(elsewhere, medium))
    const before = readdirSync(elsewhere)
    const report = await mirror()
    expect(codesOf(report)).toContain('conflict')
    expect(report.findings[0]?.message).toContain('2026-11-01 is a link')
    expect(readdirSync(elsewhere)).toEqual(before)
  })

  test('manifests that are refused at the same time are all kept, each with its own bytes', async () => {
    const shown = new Map<string, Buffer>()
    server.tamper = (request, response, bytes) => {
      if (!request.url?.endsWith('.manifest.json')) return false
      const other = Buffer.concat([bytes, Buffer.from(' ')])
      shown.set(`.refused/${request.url.slice(12)}.${sha256Of(other)}`, other)
      sendFile(request, response, other)
      return true
    }
    expect(codesOf(await mirror())).toEqual(['manifest_not_logged', 'manifest_not_logged'])
    const refused = [...filesIn(dir)].filter(([name]) => name.startsWith('.refused/'))
    expect(new Map(refused)).toEqual(shown)
  })

  test('a swapped manifest is reported, in a new mirror and in one that has the day', async () => {
    await mirror()
    const first = days[0] as Day
    const other = makeManifest(
      { ...first.snapshot, generated_at: '2026-11-02T00:06:00.000Z' },
      first.media,
    )
    const name = '2026-11-01/2026-11-01.manifest.json'
    const sums = filesIn(source).get('SHA256SUMS')?.toString() as string
    const sha256 = sha256Of(manifestBytes(other))
    put(source, name, manifestBytes(other))
    put(source, 'SHA256SUMS', sums.replace(/.{64}(?= {2}2026-11-01\/2026-11-01\.manifest)/, sha256))
    const before = filesIn(dir)
    const kept = `.refused/2026-11-01.manifest.json.${sha256}`
    expect((await mirror()).findings).toEqual([
      {
        code: 'manifest_not_logged',
        file: name,
        message: `is not the manifest that the log names; it is kept as ${kept}`,
      },
    ])
    expect(filesIn(dir)).toEqual(new Map([...filesIn(dir), ...before]))
    expect(filesIn(dir).get(kept)).toEqual(Buffer.from(manifestBytes(other)))
    const fresh = `${dir}-fresh`
    expect(codesOf(await mirror({ dir: fresh }))).toEqual(['manifest_not_logged'])
    expect([...filesIn(fresh).keys()]).not.toContain(name)
  })

  test('a mirror keeps its own log when the server rewrites its history, and keeps what it was shown', async () => {
    await mirror()
    const before = filesIn(dir)
    const log = filesIn(source).get('log')?.toString() as string
    const lines = log.split(/(?<=\n)/)
    const flipped = log.replace(/[0-9a-f]\n$/, (end) => (end[0] === '0' ? '1\n' : '0\n'))
    for (const changed of [lines[0] as string, lines.reverse().join(''), flipped]) {
      put(source, 'log', changed)
      const report = await mirror()
      expect(codesOf(report)).toEqual(['log_rewritten'])
      expect(report.findings[0]?.message).not.toContain('\n')
      const after = filesIn(dir)
      for (const [name, bytes] of before) expect(after.get(name)).toEqual(bytes)
      expect([...after.keys()]).toContain(`.refused/log.${sha256Of(Buffer.from(changed))}`)
    }
  })

  test('another history signed with the same key is reported', async () => {
    await mirror()
    rmSync(source, { recursive: true })
    const other = days.slice(0, 3).map((day) => ({
      ...day,
      manifest: makeManifest(
        { ...day.snapshot, generated_at: `${day.snapshot.day}T23:00:00.000Z` },
        day.media,
      ),
      snapshot: { ...day.snapshot, generated_at: `${day.snapshot.day}T23:00:00.000Z` },
    }))
    await publishSigned(source, other)
    expect(codesOf(await mirror())).toEqual(['log_rewritten'])
    expect(readdirSync(dir)).not.toContain('2026-11-03')
  })

  test('a log that was rolled back is reported', async () => {
    await publishThird()
    await mirror()
    rmSync(source, { recursive: true })
    cpSync(model, source, { recursive: true })
    expect(codesOf(await mirror())).toEqual(['log_rewritten'])
  })

  test('a signature with a key that is not the given one is reported', async () => {
    const keys = [parseVkey(vkeyOf(2))]
    expect(codesOf(await mirror({ keys }))).toEqual(['unknown_signer'])
    expect(await mirror({ keys: [parseVkey(vkeyOf(1))] })).toMatchObject({ ok: true })
  })
})

describe('days with a medium that became available later', () => {
  test('a mirror updates a day where the log shows the upgrade', async () => {
    const whole = days[0] as Day
    const reduced = structuredClone(whole.manifest)
    reduced.media.mp4 = { available: false, reason: 'ffmpeg_not_found' }
    rmSync(source, { recursive: true })
    const keeper = memoryKeeper()
    await publishSigned(source, [{ ...whole, manifest: reduced }], keeper)
    await mirror()
    put(source, '2026-11-01/2026-11-01.manifest.json', manifestBytes(whole.manifest))
    put(source, `2026-11-01/${filenameOf(whole, 'mp4')}`, whole.media.mp4)
    await signDays(source, [whole], keeper)
    server.requests.length = 0
    expect(await mirror()).toMatchObject({ ok: true, updated: 1 })
    expect(server.requests.filter((path) => path.startsWith('/2026'))).toHaveLength(2)
    const report = await verifyArchive(folderSource(dir), { decode })
    expect(report).toMatchObject({ ok: true, log: { size: 2 } })
  })
})
