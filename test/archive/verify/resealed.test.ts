// verify finds archives that an operator with the key has changed and sealed again, wherever they are served from.
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Manifest } from '../../../archive/format/manifest.ts'
import { parseLog } from '../../../archive/log/days.ts'
import { parseVkey } from '../../../archive/log/note.ts'
import { storePlace } from '../../../archive/place/store.ts'
import { sourceAt } from '../../../archive/verify/address.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import type { Report } from '../../../archive/verify/findings.ts'
import { folderSource } from '../../../archive/verify/folder.ts'
import { placeSource } from '../../../archive/verify/place.ts'
import type { Source } from '../../../archive/verify/source.ts'
import { type FakeStore, startFakeStore } from '../../support/fake-store.ts'
import { clockAt, startTestService } from '../../support/service.ts'
import { picture } from '../days.ts'
import { decode } from '../decoding.ts'
import { type Edit, forge, resign } from '../forger.ts'
import { filesIn, makeDays, publishSigned, serveFolder } from '../mirror/signed-archive.ts'
import { vkeyOf } from '../signing.ts'

const DAYS = makeDays(3)
const [FIRST, MIDDLE, LAST] = ['2026-11-01', '2026-11-02', '2026-11-03'] as const

let root: string
let model: string
let dir: string
const closing: (() => Promise<void>)[] = []

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'daysignal-resealed-'))
  model = join(root, 'model')
  await publishSigned(model, DAYS)
})
beforeEach(() => {
  dir = mkdtempSync(join(root, 'copy-'))
  cpSync(model, dir, { recursive: true })
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** The ways to reach the archive in `dir`. */
const SOURCES: [string, () => Promise<Source>][] = [
  ['a folder', async () => folderSource(dir)],
  [
    'a bucket',
    async () => {
      const store = await startFakeStore()
      closing.push(() => store.stop())
      fill(store)
      return placeSource(await storePlace(store.location, { random: () => 0 }))
    },
  ],
  [
    'a plain file server',
    async () => {
      const server = await serveFolder(dir)
      closing.push(() => server.close())
      return sourceAt(server.url)
    },
  ],
  [
    'a service',
    async () => {
      const service = await startTestService({ ARCHIVE_DIR: dir }, clockAt('2026-11-20T12:00:00Z'))
      closing.push(() => service.stop())
      return sourceAt(service.url)
    },
  ],
]

/** Uploads the archive, without the writer's own names. */
function fill(store: FakeStore): void {
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
    appended(LAST, { snapshot: ({ counters }) => Object.assign(counters, { messages: '7' }) }),
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
