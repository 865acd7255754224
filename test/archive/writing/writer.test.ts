// Tests the writer without kills: which files it writes in which order, and what it rejects.
// Rules: FORMAT.md 2.5; WRITING.md 1.2-1.3, 1.5.
import { chmodSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolders } from '../../../archive/base/folders.ts'
import { manifestBytes } from '../../../archive/format/manifest.ts'
import { manifestName, snapshotName } from '../../../archive/format/paths.ts'
import { requireWritable } from '../../../archive/place/folder.ts'
import { folderReader } from '../../../archive/reading/reader.ts'
import { faultyDisk } from '../../support/faulty-disk.ts'
import { openWriter } from '../../support/writers.ts'
import { filenameOf, makeManifest, publish } from '../days.ts'
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
  })

  it('a sealed day stays as it is when it is sealed again, also with another manifest', async () => {
    await publish(at.writer, day)
    await publish(at.writer, day)
    const other = {
      ...day.manifest,
      rendered_with: { renderer: '1', node: '1', sharp: '1', ffmpeg: null },
    }
    await at.writer.seal(other)
    expect((await folderReader(at.dir).manifest(DAY))?.bytes).toEqual(
      Buffer.from(manifestBytes(day.manifest)),
    )
  })

  it('a sealed day survives a power failure at any moment: names are synced before what relies on them', async () => {
    const { disk, writes } = faultyDisk()
    await publish(await openWriter(at.dir, { create: false, disk }), day)
    const steps = writes.map(({ name, path }) => `${name} ${relative(at.dir, path) || '.'}`)
    const [wav, mp4, png] = (['wav', 'mp4', 'png'] as const).map((kind) => filenameOf(day, kind))
    const put = (name: string | undefined) => [
      'remove .writing',
      'write .writing',
      `rename ${DAY}/${name}`,
      'syncFolder .',
      `syncFolder ${DAY}`,
    ]
    expect(steps).toEqual([
      `makeFolder ${DAY}`,
      'syncFolder .',
      ...[snapshotName(DAY), wav, mp4, png, manifestName(DAY)].flatMap(put),
    ])
  })

  it('a sealed day has no snapshot to continue from', async () => {
    await publish(at.writer, day)
    expect(await at.writer.fixedSnapshot(DAY)).toBeNull()
  })
})

describe('unusable folders', () => {
  it('a missing folder, a file and a folder below a file are errors of one line', async () => {
    const missing = join(at.dir, '..', 'a', 'b')
    expect(await refusal(requireWritable(missing))).toEqual([
      'archive_unavailable',
      `${missing}: does not exist`,
    ])
    const file = join(at.dir, '..', 'file')
    writeFileSync(file, '')
    for (const path of [file, join(file, 'below')])
      expect(await refusal(requireWritable(path))).toEqual([
        'archive_unavailable',
        `${path}: is not a folder`,
      ])
  })

  it('several runs can create the same folders at the same time', async () => {
    const path = join(at.dir, '..', 'a', 'b', 'c')
    const made = await Promise.all(Array.from({ length: 4 }, () => makeFolders(path)))
    expect(made.filter((isNew) => isNew)).toHaveLength(1)
  })

  // Root may write anywhere.
  it.skipIf(process.getuid?.() === 0)('a folder that is not writable fails', async () => {
    chmodSync(at.dir, 0o555)
    expect((await refusal(requireWritable(at.dir)))[0]).toBe('archive_unwritable')
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
    expect(steps.length).toBeGreaterThan(15)
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
      await publish(full, small)
      expect(await folderReader(at.dir).days()).toEqual([DAY])
    }
  })
})
