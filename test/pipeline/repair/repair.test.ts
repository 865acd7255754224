// Tests what --repair restores, and what it rejects (FORMAT.md 8, WRITING.md 2).
// Rules: FORMAT.md 8.4-8.5; WRITING.md 2.2-2.4.
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import type { Manifest } from '../../../archive/format/manifest.ts'
import type { MediaKind } from '../../../archive/format/media.ts'
import { manifestName, snapshotName } from '../../../archive/format/paths.ts'
import { findFfmpeg } from '../../../pipeline/render/find-ffmpeg.ts'
import { repairDay } from '../../../pipeline/repair/repair.ts'
import type { Run } from '../../../pipeline/run/session.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { inFull } from '../../support/runs.ts'
import { standInFfmpeg } from '../../support/stand-in-ffmpeg.ts'
import { archiveDay, openWorkshop, verify, withoutLog, workshopForEach } from '../workshop.ts'

const DAY = '2026-11-18'

const template = await openWorkshop()
await archiveDay(await template.pipeline(), DAY)

const workshop = workshopForEach()
let pipeline: Run
beforeEach(async () => {
  cpSync(template.archiveDir, workshop.archiveDir, { recursive: true })
  cpSync(join(template.dir, 'signing.key'), join(workshop.dir, 'signing.key'))
  pipeline = await workshop.pipeline()
})

const pathOf = (name: string) => join(workshop.archiveDir, DAY, name)
const manifestNow = async (): Promise<Manifest> =>
  (await pipeline.archive.reader.manifest(DAY))!.manifest

async function mediumPath(kind: MediaKind): Promise<string> {
  const medium = (await manifestNow()).media[kind]
  if (!medium.available) throw new Error(`no ${kind}`)
  return pathOf(medium.filename)
}

function damage(path: string): void {
  const bytes = readFileSync(path)
  bytes[bytes.length >> 1]! ^= 1
  overwriteFile(path, bytes)
}

const filesOf = (folder: string) =>
  readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'latin1')])

it('a repair restores a missing WAV and a damaged picture with the same bytes', async () => {
  const [wav, png] = [await mediumPath('wav'), await mediumPath('png')]
  const before = [readFileSync(wav), readFileSync(png)]
  rmSync(wav)
  damage(png)
  expect(await repairDay(pipeline, DAY)).toEqual({
    day: DAY,
    status: 'repaired',
    message: 'wav, png',
  })
  expect([readFileSync(wav), readFileSync(png)]).toEqual(before)
  expect(await verify(workshop.archiveDir)).toMatchObject({ ok: true, findings: [] })
})

it.each(['missing', 'damaged'])('the manifest restores a %s snapshot', async (how) => {
  const path = pathOf(snapshotName(DAY))
  const before = readFileSync(path)
  if (how === 'missing') rmSync(path)
  else damage(path)
  expect(await repairDay(pipeline, DAY)).toMatchObject({ status: 'repaired' })
  expect(readFileSync(path)).toEqual(before)
})

it('a repair replaces empty folders with files', async () => {
  const paths = [await mediumPath('png'), pathOf(snapshotName(DAY))]
  const before = paths.map((path) => readFileSync(path))
  for (const path of paths) {
    rmSync(path)
    mkdirSync(path)
  }
  expect(await repairDay(pipeline, DAY)).toEqual({
    day: DAY,
    status: 'repaired',
    message: `${snapshotName(DAY)}, png`,
  })
  expect(paths.map((path) => readFileSync(path))).toEqual(before)
})

it('a repair reports non-empty folders with the names of files, and restores the other files', async () => {
  const [wav, png] = [await mediumPath('wav'), await mediumPath('png')]
  const before = readFileSync(png)
  for (const path of [wav, pathOf(snapshotName(DAY))]) {
    rmSync(path)
    mkdirSync(join(path, 'mine'), { recursive: true })
  }
  rmSync(png)
  const { status, message } = await repairDay(pipeline, DAY)
  expect(status).toBe('failed')
  expect(message).toBe(
    `${DAY}/${snapshotName(DAY)}: is a folder with other files in it; ` +
      `wav: ${DAY}/${basename(wav)}: is a folder with other files in it`,
  )
  expect(readFileSync(png)).toEqual(before)
})

it.each([
  ['an emptied', (path: string) => writeFileSync(path, ''), /is not JSON in UTF-8; restore it/],
  ['a lost', (path: string) => rmSync(path), /is in the log but lost; restore it/],
])(
  'repairing %s manifest changes nothing, and says how to restore it',
  async (_, harm, message) => {
    const path = pathOf(manifestName(DAY))
    chmodSync(path, 0o644)
    harm(path)
    const before = filesOf(pathOf('.'))
    expect(await repairDay(pipeline, DAY)).toEqual({
      day: DAY,
      status: 'failed',
      message: expect.stringMatching(message),
    })
    expect(filesOf(pathOf('.'))).toEqual(before)
  },
)

it('a repair does not restore a picture that now renders differently, and names the tools', async () => {
  const png = await mediumPath('png')
  const path = pathOf(manifestName(DAY))
  const other = 'e'.repeat(64)
  const { media } = await manifestNow()
  const published = media.png.available ? media.png.sha256 : ''
  overwriteFile(path, readFileSync(path, 'utf8').replaceAll(published, other))
  rmSync(png)
  const { status, message } = await repairDay(withoutLog(pipeline), DAY)
  expect(status).toBe('failed')
  expect(message).toContain('png: rendered again, it differs from the published file')
  expect(message).toContain('made with renderer 1, node 24.0.0, sharp 0.35.0, ffmpeg none')
  expect(() => readFileSync(pathOf(`${other}.png`))).toThrow('ENOENT')
})

it('a repair fails for a day that is not archived', async () => {
  expect(await repairDay(pipeline, '2026-11-17')).toMatchObject({
    status: 'failed',
    message: expect.stringContaining('not archived'),
  })
})

inFull(
  'a repair adds a missing video once an ffmpeg exists, and changes nothing else',
  async () => {
    const before = await manifestNow()
    expect(before.media.mp4).toEqual({ available: false, reason: 'ffmpeg_not_found' })
    const ffmpeg = findFfmpeg({ FFMPEG_PATH: standInFfmpeg(join(workshop.dir, 'bin')) })
    const equipped = await workshop.pipeline({ ffmpeg })
    expect(await repairDay(equipped, DAY)).toMatchObject({ status: 'repaired', message: 'mp4' })
    const after = await manifestNow()
    expect(after.media.mp4).toMatchObject({ available: true, content_type: 'video/mp4' })
    expect({ ...after, media: { ...after.media, mp4: before.media.mp4 } }).toEqual(before)

    const mp4 = await mediumPath('mp4')
    const bytes = readFileSync(mp4)
    rmSync(mp4)
    expect(await repairDay(pipeline, DAY)).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('no ffmpeg was found'),
    })
    expect(await repairDay(equipped, DAY)).toMatchObject({ status: 'repaired' })
    expect(readFileSync(mp4)).toEqual(bytes)
    expect(await verify(workshop.archiveDir)).toMatchObject({ ok: true, findings: [] })
  },
)

inFull(
  'a repair renders a film with an ffmpeg of the version that encoded it, and names another one',
  async () => {
    const bin = join(workshop.dir, 'bin')
    const right = { path: standInFfmpeg(bin), version: '1' }
    const broken = join(bin, 'broken')
    writeFileSync(broken, '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const other = { path: broken, version: '2' }
    const maker = await workshop.pipeline({ ffmpeg: right })
    await archiveDay(maker, '2026-11-19')
    const without = await workshop.pipeline({ ffmpeg: other })
    const day = '2026-11-19'
    expect(await repairDay(without, day)).toEqual({ day, status: 'present' })
    const { mp4 } = (await maker.archive.reader.manifest(day))!.manifest.media
    rmSync(join(workshop.archiveDir, day, mp4.available ? mp4.filename : ''))
    expect(await repairDay(without, day)).toEqual({
      day,
      status: 'failed',
      message: 'mp4: needs ffmpeg 1 to be rendered again; found: 2',
    })
    expect(await repairDay(maker, day)).toMatchObject({ status: 'repaired', message: 'mp4' })
    expect(await verify(workshop.archiveDir)).toMatchObject({ ok: true, findings: [] })
  },
)

it('a repair restores the sound, but not a picture that a later renderer drew', async () => {
  const [wav, png] = [await mediumPath('wav'), await mediumPath('png')]
  const path = pathOf(manifestName(DAY))
  overwriteFile(path, readFileSync(path, 'utf8').replace('"renderer": "1"', '"renderer": "9"'))
  rmSync(wav)
  rmSync(png)
  expect(await repairDay(withoutLog(pipeline), DAY)).toEqual({
    day: DAY,
    status: 'failed',
    message: 'png: was drawn by renderer 9, and this is renderer 1; restore it from a copy',
  })
  expect(readFileSync(wav).length).toBeGreaterThan(0)
})
