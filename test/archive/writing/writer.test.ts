// The writer when nothing is killed: what lies where, and what is refused.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { manifestBytes } from '../../../archive/format/manifest.ts'
import { manifestName, snapshotName } from '../../../archive/format/paths.ts'
import { snapshotBytes } from '../../../archive/format/snapshot.ts'
import { openReader } from '../../../archive/reader.ts'
import { makeFolders } from '../../../archive/writing/durable.ts'
import { type ArchiveWriter, openWriter } from '../../../archive/writing/writer.ts'
import { faultyDisk } from '../../support/faulty-disk.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { filenameOf, makeDay, makeManifest, makeSnapshot, picture, publish } from '../days.ts'
import { refusal } from '../refusal.ts'

const DAY = '2026-11-19'
const day = makeDay(DAY, null)

let dir: string
let writer: ArchiveWriter

beforeEach(async () => {
  dir = join(mkdtempSync(join(tmpdir(), 'daysignal-writer-')), 'archive')
  writer = await openWriter(dir, { create: true })
})

afterEach(() => rmSync(join(dir, '..'), { recursive: true, force: true }))

describe('sealed days', () => {
  it('a sealed day is three media, the snapshot and the manifest, read-only, and nothing else', async () => {
    await publish(writer, day)
    const names = Object.entries(day.manifest.media).map(([, m]) => (m.available ? m.filename : ''))
    const expected = [...names, snapshotName(DAY), manifestName(DAY)].sort()
    expect(readdirSync(join(dir, DAY)).sort()).toEqual(expected)
    for (const name of expected) expect(statSync(join(dir, DAY, name)).mode & 0o777).toBe(0o444)
    expect(readdirSync(join(dir, '.staging'))).toEqual([])
  })

  it('a day may be sealed again with the same manifest, and with no other', async () => {
    await publish(writer, day)
    await publish(writer, day)
    expect(readdirSync(join(dir, '.staging'))).toEqual([])
    const other = { ...day.manifest, rendered_with: { node: '1', sharp: '1', ffmpeg: null } }
    expect(await refusal(writer.seal(other))).toEqual([
      'conflict',
      `${DAY}/${manifestName(DAY)}: the day is sealed with another`,
    ])
    expect((await openReader(dir).manifest(DAY))?.bytes).toEqual(
      Buffer.from(manifestBytes(day.manifest)),
    )
  })

  it('a sealed day survives a power cut at any moment: names are synced before what relies on them', async () => {
    const { disk, writes } = faultyDisk()
    await publish(await openWriter(dir, { create: false, disk }), day)
    const steps = writes.map(({ name, path }) => `${name} ${relative(dir, path) || '.'}`)
    const staging = `.staging/${DAY}`
    const [wav, mp4, png] = (['wav', 'mp4', 'png'] as const).map((kind) => filenameOf(day, kind))
    // The commit: everything else in the staging has been synced by then.
    const commit = steps.indexOf(`rename ${staging}/${manifestName(DAY)}`)
    for (const name of [snapshotName(DAY), wav, mp4, png]) {
      const rename = steps.indexOf(`rename ${staging}/${name}`)
      expect(rename).toBeGreaterThan(0)
      expect(steps[rename + 1]).toBe(`syncFolder ${staging}`)
      expect(rename + 1).toBeLessThan(commit)
    }
    const seal = steps.find((step) => step.startsWith(`rename .seals/${DAY}.`))
    expect(steps.slice(commit)).toEqual([
      `rename ${staging}/${manifestName(DAY)}`,
      `syncFolder ${staging}`,
      `makeFolder ${DAY}`,
      'syncFolder .',
      ...[wav, mp4, png, snapshotName(DAY)].map((name) => `rename ${DAY}/${name}`),
      `syncFolder ${DAY}`,
      'makeFolder .seals',
      'syncFolder .',
      'remove .seals/.writing',
      'write .seals/.writing',
      seal,
      'syncFolder .seals',
      `rename ${DAY}/${manifestName(DAY)}`,
      `syncFolder ${DAY}`,
      `remove ${staging}`,
    ])
  })

  it('the next run clears the staging of a sealed day that a kill left behind', async () => {
    await publish(writer, day)
    await writer.stageMedium(DAY, 'png', picture(64, 36, 7))
    expect((await writer.recover()).completed).toEqual([])
    expect(readdirSync(join(dir, '.staging'))).toEqual([])
  })

  it('a sealed day leaves nothing to recover and no staged snapshot', async () => {
    await publish(writer, day)
    expect((await writer.recover()).completed).toEqual([])
    expect(await writer.fixedSnapshot(DAY)).toBeNull()
  })
})

describe('staging', () => {
  it('staging keeps the first snapshot of a day, also for the next run', async () => {
    await writer.stageSnapshot(day.snapshot)
    await writer.stageSnapshot(day.snapshot)
    const next = await openWriter(dir, { create: false })
    expect((await next.fixedSnapshot(DAY))?.snapshot).toEqual(day.snapshot)
    const later = makeSnapshot(DAY, { generated_at: '2026-11-21T00:00:00.000Z' })
    expect((await refusal(next.stageSnapshot(later)))[0]).toBe('conflict')
    expect((await next.fixedSnapshot(DAY))?.snapshot).toEqual(day.snapshot)
    expect(await openReader(dir).days()).toEqual([])
  })

  it('staging continues from a published snapshot that has no manifest', async () => {
    mkdirSync(join(dir, DAY))
    writeFileSync(join(dir, DAY, snapshotName(DAY)), snapshotBytes(day.snapshot))
    expect((await writer.fixedSnapshot(DAY))?.snapshot).toEqual(day.snapshot)
    const later = makeSnapshot(DAY, { generated_at: '2026-11-21T00:00:00.000Z' })
    expect((await refusal(writer.stageSnapshot(later)))[0]).toBe('conflict')
    await publish(writer, day)
    expect(await openReader(dir).days()).toEqual([DAY])
  })

  it('staging continues from what is published rather than from what else is staged', async () => {
    const later = makeSnapshot(DAY, { generated_at: '2026-11-21T00:00:00.000Z' })
    await writer.stageSnapshot(later)
    expect((await writer.fixedSnapshot(DAY))?.inPlace).toBe(false)
    mkdirSync(join(dir, DAY))
    writeFileSync(join(dir, DAY, snapshotName(DAY)), snapshotBytes(day.snapshot))
    expect((await writer.fixedSnapshot(DAY))?.inPlace).toBe(true)
    expect((await writer.fixedSnapshot(DAY))?.snapshot).toEqual(day.snapshot)
    await writer.discard(DAY)
    expect((await writer.fixedSnapshot(DAY))?.snapshot).toEqual(day.snapshot)
  })

  it('the error of staging names a damaged published snapshot', async () => {
    mkdirSync(join(dir, DAY))
    writeFileSync(join(dir, DAY, snapshotName(DAY)), '')
    expect(await refusal(writer.fixedSnapshot(DAY))).toEqual([
      'invalid_snapshot',
      `${DAY}/${snapshotName(DAY)}: snapshot: is not JSON in UTF-8`,
    ])
  })

  it('staging a day whose manifest was lost leaves only what the new one names', async () => {
    await publish(writer, day)
    rmSync(join(dir, DAY, manifestName(DAY)))
    expect((await writer.fixedSnapshot(DAY))?.inPlace).toBe(true)
    const media = { ...day.media, png: picture(64, 36, 77) }
    const again = { ...day, media, manifest: makeManifest(day.snapshot, media) }
    await publish(writer, again)
    const names = (['wav', 'mp4', 'png'] as const).map((kind) => filenameOf(again, kind))
    const expected = [...names, snapshotName(DAY), manifestName(DAY)].sort()
    expect(readdirSync(join(dir, DAY)).sort()).toEqual(expected)
    expect(await writer.fixedSnapshot(DAY)).toBeNull()
  })

  it('staging replaces empty folders, but nothing that others created', async () => {
    for (const name of [filenameOf(day, 'png'), snapshotName(DAY), manifestName(DAY)]) {
      rmSync(join(dir, DAY), { recursive: true, force: true })
      mkdirSync(join(dir, DAY, name, 'mine'), { recursive: true })
      expect(await refusal(publish(writer, day))).toEqual([
        'conflict',
        `${DAY}/${name}: is a folder with other files in it`,
      ])
      expect(existsSync(join(dir, DAY, name, 'mine'))).toBe(true)
      rmSync(join(dir, DAY, name, 'mine'), { recursive: true })
      await publish(writer, day)
      expect(statSync(join(dir, DAY, name)).isFile()).toBe(true)
    }
  })

  it('staging names a medium by its hash', async () => {
    const properties = { duration_seconds: 29.16, width: 64, height: 36 }
    const staged = await writer.stageMedium(DAY, 'mp4', day.media.mp4, properties)
    expect(staged).toEqual(day.manifest.media.mp4)
  })

  it('the writer seals nothing without a file that the manifest names', async () => {
    await writer.stageSnapshot(day.snapshot)
    await writer.stageMedium(DAY, 'wav', day.media.wav)
    await writer.stageMedium(DAY, 'png', day.media.png)
    const [code, message] = await refusal(writer.seal(day.manifest))
    expect(code).toBe('incomplete_staging')
    expect(message).toMatch(/\.mp4: is not staged$/)
    expect(existsSync(join(dir, DAY))).toBe(false)
    expect((await writer.recover()).completed).toEqual([])
  })

  it('the writer does not seal a manifest that contradicts itself', async () => {
    await writer.stageSnapshot(day.snapshot)
    const wrong = { ...day.manifest, day: '2026-11-18' }
    expect((await refusal(writer.seal(wrong)))[0]).toBe('invalid_manifest')
  })
})

describe('damaged staging', () => {
  const inStaging = (name: string) => join(dir, '.staging', DAY, name)
  const spoil = (name: string, content: string | Uint8Array) => {
    mkdirSync(join(dir, '.staging', DAY), { recursive: true })
    rmSync(inStaging(name), { force: true })
    writeFileSync(inStaging(name), content)
  }
  const other = makeDay('2026-11-20', null)

  it.each<[string, () => void]>([
    ['holds a manifest that is none', () => spoil(manifestName(DAY), '{')],
    ['holds an empty snapshot', () => spoil(snapshotName(DAY), '')],
    [
      'holds the snapshot of another day',
      () => spoil(snapshotName(DAY), snapshotBytes(other.snapshot)),
    ],
    [
      'holds the manifest of another day',
      () => spoil(manifestName(DAY), manifestBytes(other.manifest)),
    ],
    ['is committed and lacks files', () => spoil(manifestName(DAY), manifestBytes(day.manifest))],
    ['is a file', () => writeFileSync(join(dir, '.staging', DAY), '')],
    [
      'holds a folder for a manifest',
      () => mkdirSync(inStaging(manifestName(DAY)), { recursive: true }),
    ],
  ])('a staging folder that %s stops no day', async (_, damage) => {
    const next = makeDay('2026-11-21', other)
    await publish(writer, other)
    for (const kind of ['wav', 'mp4', 'png'] as const)
      await writer.stageMedium(next.snapshot.day, kind, next.media[kind])
    await writer.stageSnapshot(next.snapshot)
    writeFileSync(
      join(dir, '.staging', next.snapshot.day, manifestName(next.snapshot.day)),
      manifestBytes(next.manifest),
    )
    damage()
    expect((await writer.recover()).completed).toEqual([next.snapshot.day])
    expect(await writer.fixedSnapshot(DAY)).toBeNull()
    await publish(writer, day)
    expect(await openReader(dir).days()).toEqual([DAY, '2026-11-20', '2026-11-21'])
    expect(readdirSync(join(dir, '.staging'))).toEqual([])
  })

  it('damaged staging keeps the fixed snapshot when only its manifest is lost', async () => {
    await writer.stageSnapshot(day.snapshot)
    spoil(manifestName(DAY), '{')
    expect((await writer.recover()).completed).toEqual([])
    expect((await writer.fixedSnapshot(DAY))?.snapshot).toEqual(day.snapshot)
  })

  it('damaged staging leaves a sealed day as it was published', async () => {
    await publish(writer, day)
    spoil(manifestName(DAY), '{')
    expect((await writer.recover()).completed).toEqual([])
    expect(readdirSync(join(dir, '.staging'))).toEqual([])
    expect((await openReader(dir).manifest(DAY))?.manifest).toEqual(day.manifest)
  })

  it('another manifest in the staging of a sealed day is withdrawn, and the day stays as it was', async () => {
    await publish(writer, day)
    const other = { ...day.manifest, rendered_with: { node: '1', sharp: '1', ffmpeg: null } }
    mkdirSync(join(dir, '.staging', DAY), { recursive: true })
    writeFileSync(join(dir, '.staging', DAY, manifestName(DAY)), manifestBytes(other))
    expect(await writer.recover()).toEqual({ completed: [], failed: [] })
    expect((await openReader(dir).manifest(DAY))?.bytes).toEqual(
      Buffer.from(manifestBytes(day.manifest)),
    )
    expect(readdirSync(join(dir, '.staging'))).toEqual([])
  })

  it('staging stays next to a sealed day whose manifest is damaged, and the error names it', async () => {
    await publish(writer, day)
    overwriteFile(join(dir, DAY, manifestName(DAY)), '{')
    spoil(manifestName(DAY), manifestBytes(day.manifest))
    expect(await writer.recover()).toMatchObject({
      completed: [],
      failed: [{ day: DAY, error: { code: 'invalid_manifest' } }],
    })
    expect(await refusal(writer.fixedSnapshot(DAY))).toEqual([
      'invalid_manifest',
      `${DAY}/${manifestName(DAY)}: manifest: is not JSON in UTF-8`,
    ])
  })
})

describe('wrong folders', () => {
  it('a missing folder is created only on request', async () => {
    const missing = join(dir, '..', 'a', 'b')
    expect(await refusal(openWriter(missing, { create: false }))).toEqual([
      'archive_unavailable',
      `${missing}: does not exist`,
    ])
    await openWriter(missing, { create: true })
    expect(statSync(missing).isDirectory()).toBe(true)
  })

  it('folders that several runs make at the same time are made', async () => {
    const path = join(dir, '..', 'a', 'b', 'c')
    const made = await Promise.all(Array.from({ length: 4 }, () => makeFolders(path)))
    expect(made.filter((isNew) => isNew)).toHaveLength(1)
  })

  it.each([
    ['is a file', ''],
    ['is below a file', 'below'],
  ])('a folder that %s fails with one line', async (_, below) => {
    const file = join(dir, '..', 'file')
    writeFileSync(file, '')
    for (const create of [true, false])
      expect(await refusal(openWriter(join(file, below), { create }))).toEqual([
        'archive_unavailable',
        `${join(file, below)}: is not a folder`,
      ])
  })

  // The superuser may write anywhere, so this needs another.
  it.skipIf(process.getuid?.() === 0)('a folder that is not writable fails', async () => {
    chmodSync(dir, 0o555)
    expect((await refusal(openWriter(dir, { create: false })))[0]).toBe('archive_unwritable')
    chmodSync(dir, 0o755)
  })
})

describe('full disks', () => {
  it('a full disk at any write is one clear error; nothing is lost, and the same run succeeds later', async () => {
    const small = { ...day, media: { ...day.media, wav: new Uint8Array([1, 2, 3]) } }
    small.manifest = makeManifest(small.snapshot, small.media)
    const { disk: counting, writes } = faultyDisk()
    await publish(await openWriter(dir, { create: false, disk: counting }), small)
    const steps = [...writes.keys()].filter((at) => writes[at]?.name !== 'remove')
    expect(steps.length).toBeGreaterThan(20)
    for (const at of steps) {
      rmSync(dir, { recursive: true })
      const { disk } = faultyDisk({ at, moment: 'halfway', kind: 'ENOSPC' })
      const full = await openWriter(dir, { create: true, disk })
      expect(await refusal(publish(full, small))).toEqual([
        'storage_full',
        `${dir}: no space left on the disk`,
      ])
      // What was being written is gone: no half of a file lies anywhere.
      const left = readdirSync(dir, { recursive: true }).filter((n) => `${n}`.endsWith('.writing'))
      expect(left).toEqual([])
      await full.recover()
      await publish(full, small)
      expect(await openReader(dir).days()).toEqual([DAY])
    }
  })
})
