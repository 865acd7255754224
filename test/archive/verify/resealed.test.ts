// A film that became available later, and a day that contradicts itself. What else an operator with the key may have changed
// and sealed again is in damaged.json.
// Rules: FORMAT.md 3.4, 13.6, 17.4.
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { Manifest } from '../../../archive/format/manifest.ts'
import { parseLog } from '../../../archive/log/days.ts'
import { parseVkey } from '../../../archive/log/note.ts'
import { prepareFolder } from '../../../archive/mirror/folder.ts'
import { mirrorArchive } from '../../../archive/mirror/mirror.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { folderReader } from '../../../archive/reading/reader.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import { temporaryFolder } from '../../support/release.ts'
import { decode } from '../decoding.ts'
import { forge } from '../forger.ts'
import { makeDays, publishSigned, serveFolder } from '../mirror/signed-archive.ts'
import { vkeyOf } from '../signing.ts'
import { findingsIn } from './damaged-copies.ts'

const [FIRST, MIDDLE, LAST] = ['2026-11-01', '2026-11-02', '2026-11-03'] as const
const model = temporaryFolder()
await publishSigned(model, makeDays(3))

let dir: string
beforeEach(() => {
  dir = temporaryFolder()
  cpSync(model, dir, { recursive: true })
})

const NO_FILM = { available: false, reason: 'ffmpeg_not_found' } as const

test('a film that became available later is no fault', async () => {
  const file = join(dir, MIDDLE, `${MIDDLE}.manifest.json`)
  const { media, rendered_with } = JSON.parse(readFileSync(file, 'utf8')) as Manifest
  const withoutFilm = { manifest: ({ media }: Manifest) => Object.assign(media, { mp4: NO_FILM }) }
  await forge(dir, MIDDLE, withoutFilm, 'replaced')
  rmSync(join(dir, MIDDLE), { recursive: true })
  cpSync(join(model, MIDDLE), join(dir, MIDDLE), { recursive: true })
  const later = { ...media, mp4: { ...media.mp4, rendered_with } }
  await forge(
    dir,
    MIDDLE,
    { manifest: (manifest) => Object.assign(manifest, { media: later }) },
    'appended',
  )
  const logged = parseLog(readFileSync(join(dir, 'log'))).map(({ day }) => day)
  expect(logged).toEqual([FIRST, MIDDLE, LAST, MIDDLE])
  const heard: string[] = []
  const onDay = ({ day }: { day: string }) => heard.push(day)
  const report = await verifyArchive(folderPlace(dir), { decode, onDay, log: { pauseMs: 0 } })
  expect(findingsIn(report)).toEqual([])
  expect(heard).toEqual([FIRST, MIDDLE, LAST])
})

test('a day that contradicts itself is still read, served and mirrored', async () => {
  const covered = { status: 'complete', observed_seconds: 100 }
  await forge(
    dir,
    LAST,
    { snapshot: ({ coverage }) => Object.assign(coverage, covered) },
    'replaced',
  )
  const loaded = await folderReader(dir).manifest(LAST)
  expect(loaded?.manifest.snapshot.coverage.observed_seconds).toBe(100)
  const copy = temporaryFolder()
  await prepareFolder(copy)
  const options = { dir: copy, selection: {}, keys: [parseVkey(vkeyOf(1))], jobs: 2 }
  const { url } = await serveFolder(dir)
  expect(await mirrorArchive({ source: url, ...options })).toMatchObject({ ok: true, days: 3 })
  const report = await verifyArchive(folderPlace(copy), { quick: true })
  expect(findingsIn(report)).toMatchObject([
    { code: 'invalid_snapshot', file: `${LAST}/${LAST}.json` },
  ])
})
