// Tests the writer without kills: which files it writes in which order, and what it rejects.
import { chmodSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolders } from '../../../archive/base/folders.ts'
import { manifestBytes } from '../../../archive/format/manifest.ts'
import { manifestName, snapshotName } from '../../../archive/format/paths.ts'
import { openReader } from '../../../archive/reader.ts'
import { openWriter } from '../../../archive/writing/writer.ts'
import { faultyDisk } from '../../support/faulty-disk.ts'
import { withReplaced } from '../../support/replaced-fs.ts'
import { filenameOf, makeManifest, picture, publish } from '../days.ts'
import { refusal } from '../refusal.ts'
import { DAY, day, newArchive } from './new-archive.ts'

const at = newArchive()

describe('sealed days', () => {
  it('a sealed day has three media files, the snapshot and the manifest, all read-only, and nothing else', async () => {
    await publish(at.writer, day)
    const names = Object.entries(day.manifest.media).map(([, m]) => (m.available ? m.filename : ''))
    const expected = [...names, snapshotName(DAY), manifestName(DAY)].sort()
    expect(readdirSync(join(at.dir, DAY)).sort()).toEqual(expected)
    for (const name of expected) expect(statSync(join(at.dir, DAY, name)).mode & 0o777).toBe(0o444)
    expect(readdirSync(join(at.dir, '.staging'))).toEqual([])
  })

  it('a day may be sealed again with the same manifest only', async () => {
    await publish(at.writer, day)
    await publish(at.writer, day)
    expect(readdirSync(join(at.dir, '.staging'))).toEqual([])
    const other = { ...day.manifest, rendered_with: { node: '1', sharp: '1', ffmpeg: null } }
    expect(await refusal(at.writer.seal(other))).toEqual([
      'conflict',
      `${DAY}/${manifestName(DAY)}: the day is sealed with another manifest`,
    ])
    expect((await openReader(at.dir).manifest(DAY))?.bytes).toEqual(
      Buffer.from(manifestBytes(day.manifest)),
    )
  })

  it('a sealed day survives a power failure at any moment: names are synced before what relies on them', async () => {
    const { disk, writes } = faultyDisk()
    await publish(await openWriter(at.dir, { create: false, disk }), day)
    const steps = writes.map(({ name, path }) => `${name} ${relative(at.dir, path) || '.'}`)
    const staging = `.staging/${DAY}`
    const [wav, mp4, png] = (['wav', 'mp4', 'png'] as const).map((kind) => filenameOf(day, kind))
    // By the commit, every other staged file must have been synced.
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
    await publish(at.writer, day)
    await at.writer.stageMedium(DAY, 'png', picture(64, 36, 7))
    expect((await at.writer.recover()).completed).toEqual([])
    expect(readdirSync(join(at.dir, '.staging'))).toEqual([])
  })

  it('a sealed day leaves nothing to recover and no staged snapshot', async () => {
    await publish(at.writer, day)
    expect((await at.writer.recover()).completed).toEqual([])
    expect(await at.writer.fixedSnapshot(DAY)).toBeNull()
  })
})

describe('unusable folders', () => {
  it('a missing folder is created only on request', async () => {
    const missing = join(at.dir, '..', 'a', 'b')
    expect(await refusal(openWriter(missing, { create: false }))).toEqual([
      'archive_unavailable',
      `${missing}: does not exist`,
    ])
    await openWriter(missing, { create: true })
    expect(statSync(missing).isDirectory()).toBe(true)
  })

  it('several runs can create the same folders at the same time', async () => {
    const path = join(at.dir, '..', 'a', 'b', 'c')
    const made = await Promise.all(Array.from({ length: 4 }, () => makeFolders(path)))
    expect(made.filter((isNew) => isNew)).toHaveLength(1)
  })

  it.each([
    ['is a file', ''],
    ['is below a file', 'below'],
  ])('a folder that %s fails with one line', async (_, below) => {
    const file = join(at.dir, '..', 'file')
    writeFileSync(file, '')
    for (const create of [true, false])
      expect(await refusal(openWriter(join(file, below), { create }))).toEqual([
        'archive_unavailable',
        `${join(file, below)}: is not a folder`,
      ])
  })

  // Root may write anywhere.
  it.skipIf(process.getuid?.() === 0)('a folder that is not writable fails', async () => {
    chmodSync(at.dir, 0o555)
    expect((await refusal(openWriter(at.dir, { create: false })))[0]).toBe('archive_unwritable')
    chmodSync(at.dir, 0o755)
  })
})

describe('full disks', () => {
  it('a full disk at any write is one clear error, loses nothing, and the same run succeeds later', async () => {
    const small = { ...day, media: { ...day.media, wav: new Uint8Array([1, 2, 3]) } }
    small.manifest = makeManifest(small.snapshot, small.media)
    const { disk: counting, writes } = faultyDisk()
    await publish(await openWriter(at.dir, { create: false, disk: counting }), small)
    const steps = [...writes.keys()].filter((step) => writes[step]?.name !== 'remove')
    expect(steps.length).toBeGreaterThan(20)
    for (const step of steps) {
      rmSync(at.dir, { recursive: true })
      const { disk } = faultyDisk({ at: step, moment: 'halfway', kind: 'ENOSPC' })
      const full = await openWriter(at.dir, { create: true, disk })
      expect(await refusal(publish(full, small))).toEqual([
        'storage_full',
        `${at.dir}: no space left on the disk`,
      ])
      // The partial file has been removed.
      const left = readdirSync(at.dir, { recursive: true }).filter((n) =>
        `${n}`.endsWith('.writing'),
      )
      expect(left).toEqual([])
      await full.recover()
      await publish(full, small)
      expect(await openReader(at.dir).days()).toEqual([DAY])
    }
  })
})

describe('unreadable files', () => {
  it('a staged file that cannot be read is reported as unreadable, not as unwritable', async () => {
    await at.writer.stageSnapshot(day.snapshot)
    for (const kind of ['wav', 'mp4', 'png'] as const)
      await at.writer.stageMedium(DAY, kind, day.media[kind])
    const path = join(at.dir, '.staging', DAY, filenameOf(day, 'png'))
    const denied = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES', path })
    const seal = () => refusal(at.writer.seal(day.manifest))
    const sealed = withReplaced(
      'readFile',
      (real) => (file) => (file === path ? Promise.reject(denied) : real(file)),
      seal,
    )
    expect(await sealed).toEqual(['archive_unavailable', `${path}: cannot be read (EACCES)`])
  })
})
