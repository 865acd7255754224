// verify finds archives that an operator with the key has changed and sealed again, wherever they are served from.
// Rules: FORMAT.md 3.4, 13.6, 17.4.
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Manifest } from '../../../archive/format/manifest.ts'
import type { MediaKind } from '../../../archive/format/media.ts'
import { parseLog } from '../../../archive/log/days.ts'
import { parseVkey } from '../../../archive/log/note.ts'
import { prepareFolder } from '../../../archive/mirror/folder.ts'
import { mirrorArchive } from '../../../archive/mirror/mirror.ts'
import { bucketPlace } from '../../../archive/place/bucket.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import type { Place } from '../../../archive/place/place.ts'
import { folderReader } from '../../../archive/reading/reader.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import type { Report } from '../../../archive/verify/findings.ts'
import type { Coverage } from '../../../protocol/index.ts'
import { type FakeBucket, startFakeBucket } from '../../support/fake-bucket.ts'
import { temporaryFolder } from '../../support/release.ts'
import { IN_FULL } from '../../support/runs.ts'
import { openServed } from '../../support/served.ts'
import { clockAt, startTestService } from '../../support/service.ts'
import { picture } from '../days.ts'
import { decode } from '../decoding.ts'
import { type Edit, forge, resign } from '../forger.ts'
import { filesIn, makeDays, publishSigned, serveFolder } from '../mirror/signed-archive.ts'
import { vkeyOf } from '../signing.ts'

const DAYS = makeDays(3)
const [FIRST, MIDDLE, LAST] = ['2026-11-01', '2026-11-02', '2026-11-03'] as const

let dir: string
const closing: (() => Promise<void>)[] = []

const root = temporaryFolder()
const model = join(root, 'model')
await publishSigned(model, DAYS)
beforeEach(() => {
  dir = mkdtempSync(join(root, 'copy-'))
  cpSync(model, dir, { recursive: true })
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** The ways to reach the archive in `dir`. */
const ALL_SOURCES: [string, () => Promise<Place>][] = [
  ['a folder', async () => folderPlace(dir)],
  [
    'a bucket',
    async () => {
      const store = await startFakeBucket()
      closing.push(() => store.stop())
      fill(store)
      return await bucketPlace(store.location, { random: () => 0 })
    },
  ],
  [
    'a plain file server',
    async () => {
      const server = await serveFolder(dir)
      closing.push(() => server.close())
      return openServed(server.url)
    },
  ],
  [
    'a service',
    async () => {
      const service = await startTestService({ ARCHIVE_DIR: dir }, clockAt('2026-11-20T12:00:00Z'))
      closing.push(() => service.stop())
      return openServed(service.url)
    },
  ],
]

/** The findings are the same everywhere, so npm test needs one way. */
const SOURCES = IN_FULL ? ALL_SOURCES : ALL_SOURCES.slice(0, 1)

/** Uploads the archive, without the writer's own names. */
function fill(store: FakeBucket): void {
  for (const [key, body] of filesIn(dir))
    if (!key.startsWith('.')) store.objects.set(key, { body, etag: `"${key}"`, at: new Date() })
}

const keys = [parseVkey(vkeyOf(1))]
const since = () => readFileSync(join(model, 'checkpoint'))

/** The faults of the days as "code file", without the folder of the file. */
function faultsIn({ days, findings }: Report): string[] {
  const all = [...findings, ...days.flatMap((day) => day.findings)]
  return all.map(({ code, file }) => `${code} ${file.split('/').at(-1)}`)
}

const manifestName = (day: string) => `${day}.manifest.json`
const manifestIn = (day: string): Manifest =>
  JSON.parse(readFileSync(join(dir, day, manifestName(day)), 'utf8'))

const NO_FILM = { available: false, reason: 'ffmpeg_not_found' } as const
const withoutFilm = ({ media }: Manifest) => Object.assign(media, { mp4: NO_FILM })

const appended = (day: string, edit: Edit) => () => forge(dir, day, edit, 'appended')

/** Histories that no writer may sign (FORMAT.md 17.4), with the lines that the finding names. */
const HISTORIES: [string, () => Promise<void>, string, string][] = [
  [
    'the last day with other counters',
    appended(LAST, { snapshot: ({ counters }) => Object.assign(counters, { directories: '7' }) }),
    LAST,
    'lines 3 and 4',
  ],
  [
    'the last day with another picture',
    appended(LAST, { media: { png: () => picture(64, 36, 9) } }),
    LAST,
    'lines 3 and 4',
  ],
  [
    'a film that is withdrawn',
    appended(MIDDLE, { manifest: withoutFilm }),
    MIDDLE,
    'lines 2 and 4',
  ],
  [
    'a snapshot taken again later',
    appended(LAST, {
      snapshot: (snapshot) => Object.assign(snapshot, { generated_at: '2026-11-05T00:00:00.000Z' }),
    }),
    LAST,
    'lines 3 and 4',
  ],
  [
    'other versions of the tools',
    appended(LAST, {
      manifest: ({ rendered_with }) => Object.assign(rendered_with, { node: '25' }),
    }),
    LAST,
    'lines 3 and 4',
  ],
  [
    'the same leaf twice',
    async () => {
      const log = parseLog(readFileSync(join(dir, 'log')))
      await resign(dir, [...log, log[0]!])
    },
    FIRST,
    'lines 1 and 4',
  ],
]

describe.each(SOURCES)('a history that no writer may sign, in %s', (_name, open) => {
  test.each(HISTORIES)(
    '%s is reported with both lines of the log',
    async (_, change, day, lines) => {
      await change()
      for (const options of [
        { log: { pauseMs: 0 } },
        { quick: true, log: { pauseMs: 0, keys } },
        { quick: true, log: { pauseMs: 0, keys, since: since() } },
      ]) {
        const report = await verifyArchive(await open(), { decode, ...options })
        const found = faultsIn(report).filter((one) => !one.startsWith('previous_hash'))
        expect(found).toEqual([`manifest_not_logged ${manifestName(day)}`])
        expect(report.ok).toBe(false)
        const { findings } = report.days.find((one) => one.day === day)!
        expect(findings.map(({ message }) => message).join()).toContain(`${lines} of log name`)
      }
    },
  )

  test('a film that became available later is no fault', async () => {
    const manifest = manifestIn(MIDDLE)
    await forge(dir, MIDDLE, { manifest: withoutFilm }, 'replaced')
    rmSync(join(dir, MIDDLE), { recursive: true })
    cpSync(join(model, MIDDLE), join(dir, MIDDLE), { recursive: true })
    const { mp4 } = manifest.media
    const media = { ...manifest.media, mp4: { ...mp4, rendered_with: manifest.rendered_with } }
    await forge(dir, MIDDLE, { manifest: (now) => Object.assign(now, { media }) }, 'appended')
    expect(parseLog(readFileSync(join(dir, 'log'))).map(({ day }) => day)).toEqual([
      FIRST,
      MIDDLE,
      LAST,
      MIDDLE,
    ])
    const heard: string[] = []
    const onDay = ({ day }: { day: string }) => heard.push(day)
    const report = await verifyArchive(await open(), { decode, onDay, log: { pauseMs: 0 } })
    expect(faultsIn(report)).toEqual([])
    expect(heard).toEqual([FIRST, MIDDLE, LAST])
  })
})

const replaced = (day: string, edit: Edit) => () => forge(dir, day, edit, 'replaced')
const covered = (status: Coverage, observed_seconds: number): Edit => ({
  snapshot: ({ coverage }) => Object.assign(coverage, { status, observed_seconds }),
})
const recorded = (
  count: string,
  first: string | null,
  last: string | null,
  messages: string,
): Edit => ({
  snapshot: (snapshot) => {
    const records = { count, first_message_id: first, last_message_id: last, root: '0'.repeat(64) }
    Object.assign(snapshot, { records })
    Object.assign(snapshot.counters, { messages })
  },
})
const taken = (generated_at: string): Edit => ({
  snapshot: (snapshot) => Object.assign(snapshot, { generated_at }),
})

/** Last days that contradict themselves, with consistent hashes, and what the finding names. */
const CONTRADICTIONS: [string, Edit, string][] = [
  ['complete with 100 s observed', covered('complete', 100), 'coverage.observed_seconds'],
  ['partial without a reason', covered('partial', 86_400), 'coverage.status'],
  ['none without a reason', covered('none', 0), 'coverage.status'],
  ['more visible messages than records', recorded('1', '9', '9', '2'), 'counters.messages'],
  ['no message, but a root', recorded('0', null, null, '0'), 'records.root'],
  ['an id of 0', recorded('9', '0', '9', '3'), 'records.first_message_id'],
  ['taken within the day', taken('2026-11-03T23:00:00.000Z'), 'generated_at'],
]

describe.each(SOURCES)('a day that contradicts itself, in %s', (_name, open) => {
  test.each(CONTRADICTIONS)('%s is reported', async (_, edit, property) => {
    await replaced(LAST, edit)()
    for (const options of [{}, { quick: true, log: { keys, pauseMs: 0 } }]) {
      const report = await verifyArchive(await open(), { decode, ...options })
      // Days with messages that were never there lack their leaves, too.
      const found = faultsIn(report).filter((one) => !/^ids_|\.leaves$/.test(one))
      expect(found).toEqual([`invalid_snapshot ${LAST}.json`])
      expect(report.days[2]!.findings[0]!.message).toMatch(`contradicts itself: ${property}: must `)
    }
  })
})

test('a day that contradicts itself is still read, served and mirrored', async () => {
  await replaced(LAST, covered('complete', 100))()
  const loaded = await folderReader(dir).manifest(LAST)
  expect(loaded?.manifest.snapshot.coverage.observed_seconds).toBe(100)
  const server = await serveFolder(dir)
  closing.push(() => server.close())
  const copy = join(root, 'mirror')
  await prepareFolder(copy)
  const options = { source: server.url, dir: copy, selection: {}, keys, jobs: 2 }
  expect(await mirrorArchive(options)).toMatchObject({ ok: true, days: 3 })
  const report = await verifyArchive(folderPlace(copy), { quick: true })
  expect(faultsIn(report)).toEqual([`invalid_snapshot ${LAST}.json`])
})

/** A box of 1 KiB, of which 500 bytes are missing. */
const CUT_SAMPLES = Buffer.concat([Buffer.from('\0\0\x04\0mdat'), Buffer.alloc(516)])

/** Media that are not whole files of their kind, with consistent hashes. */
const MEDIA: [string, Edit['media']][] = [
  [
    'a picture with a wrong CRC',
    { png: (bytes) => bytes.with(bytes.length - 1, bytes.at(-1)! ^ 1) },
  ],
  ['a picture with bytes after its end', { png: (bytes) => Buffer.concat([bytes, bytes]) }],
  ['a film whose samples are cut off', { mp4: (bytes) => Buffer.concat([bytes, CUT_SAMPLES]) }],
  [
    'a film with bytes after its boxes',
    { mp4: (bytes) => Buffer.concat([bytes, bytes.subarray(0, 9)]) },
  ],
]

describe.each(SOURCES)('a media file that is not whole, in %s', (_name, open) => {
  test.each(MEDIA)('%s is reported', async (_, media) => {
    await replaced(LAST, { media: media! })()
    const [kind] = Object.keys(media!) as MediaKind[]
    const entry = manifestIn(LAST).media[kind!]
    const report = await verifyArchive(await open(), { decode, log: { keys } })
    expect(faultsIn(report)).toEqual([`not_a_medium ${entry.available && entry.filename}`])
  })
})
