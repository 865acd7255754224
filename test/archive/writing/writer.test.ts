// Tests the writer without kills: how it assembles and seals a day, in which order it writes, and what it rejects, adds and
// removes later. What a repair restores is in pipeline/repair/repair.test.ts.
// Rules: FORMAT.md 2.5, 8.4-8.5; WRITING.md 1.2-1.3, 1.5, 2.2-2.4.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { makeFolders } from '../../../archive/base/folders.ts'
import { manifestBytes } from '../../../archive/format/manifest.ts'
import { MEDIA_KINDS } from '../../../archive/format/media.ts'
import { manifestName, snapshotName } from '../../../archive/format/paths.ts'
import { folderPlace, requireWritable } from '../../../archive/place/folder.ts'
import { ArchiveReader } from '../../../archive/reading/reader.ts'
import type { ArchiveWriter } from '../../../archive/writing/writer.ts'
import { faultyDisk } from '../../support/faulty-disk.ts'
import { temporaryFolder } from '../../support/release.ts'
import { openWriter } from '../../support/writers.ts'
import {
  filenameOf,
  makeDay,
  makeManifest,
  makeSnapshot,
  PROPERTIES,
  picture,
  publish,
  withoutFilm,
} from '../days.ts'
import { refusal } from '../refusal.ts'

const DAY = '2026-11-19'
const day = makeDay(DAY, null)

const at = {} as { dir: string; writer: ArchiveWriter }
beforeEach(async () => {
  at.dir = join(temporaryFolder(), 'archive')
  at.writer = await openWriter(at.dir, { create: true })
})

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
    expect((await new ArchiveReader(folderPlace(at.dir)).manifest(DAY))?.bytes).toEqual(
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
    const left = readdirSync(at.dir, { recursive: true }).filter((n) => `${n}`.endsWith('.writing'))
    expect(left).toEqual([])
    await publish(full, small)
    expect(await new ArchiveReader(folderPlace(at.dir)).days()).toEqual([DAY])
  }
})

describe('unsealed days', () => {
  it('the first snapshot of a day stays fixed, also for the next run', async () => {
    await at.writer.fixSnapshot(day.snapshot)
    await at.writer.fixSnapshot(day.snapshot)
    const next = await openWriter(at.dir, { create: false })
    expect(await next.fixedSnapshot(DAY)).toEqual(day.snapshot)
    const later = makeSnapshot(DAY, { generated_at: '2026-11-21T00:00:00.000Z' })
    expect(await next.fixSnapshot(later)).toEqual(day.snapshot)
    expect(await next.fixedSnapshot(DAY)).toEqual(day.snapshot)
    expect(await new ArchiveReader(folderPlace(at.dir)).days()).toEqual([])
  })

  it('a damaged fixed snapshot is an error that names it', async () => {
    mkdirSync(join(at.dir, DAY))
    writeFileSync(join(at.dir, DAY, snapshotName(DAY)), '')
    expect(await refusal(at.writer.fixedSnapshot(DAY))).toEqual([
      'invalid_snapshot',
      `${DAY}/${snapshotName(DAY)}: snapshot: is not JSON in UTF-8`,
    ])
  })

  it('sealing leaves only the files that the manifest names, without those of a killed run', async () => {
    await at.writer.fixSnapshot(day.snapshot)
    await at.writer.putMedium(DAY, 'png', day.media.png)
    expect(await at.writer.fixedSnapshot(DAY)).toEqual(day.snapshot)
    const media = { ...day.media, png: picture(64, 36, 77) }
    const again = { ...day, media, manifest: makeManifest(day.snapshot, media) }
    await publish(at.writer, again)
    const names = MEDIA_KINDS.map((kind) => filenameOf(again, kind))
    const expected = [...names, snapshotName(DAY), manifestName(DAY)].sort()
    expect(readdirSync(join(at.dir, DAY)).sort()).toEqual(expected)
    expect(await at.writer.fixedSnapshot(DAY)).toBeNull()
  })

  it('sealing replaces empty folders, but nothing that others created', async () => {
    for (const name of [filenameOf(day, 'png'), snapshotName(DAY), manifestName(DAY)]) {
      rmSync(join(at.dir, DAY), { recursive: true, force: true })
      mkdirSync(join(at.dir, DAY, name, 'mine'), { recursive: true })
      expect(await refusal(publish(at.writer, day))).toEqual([
        'conflict',
        `${DAY}/${name}: is a folder with other files in it`,
      ])
      expect(existsSync(join(at.dir, DAY, name, 'mine'))).toBe(true)
      rmSync(join(at.dir, DAY, name, 'mine'), { recursive: true })
      await publish(at.writer, day)
      expect(statSync(join(at.dir, DAY, name)).isFile()).toBe(true)
    }
  })

  it('a media file is named by its hash', async () => {
    const staged = await at.writer.putMedium(DAY, 'mp4', day.media.mp4, PROPERTIES.mp4)
    expect(staged).toEqual(day.manifest.media.mp4)
  })

  it('the writer does not seal a day that lacks a file which the manifest names', async () => {
    await at.writer.fixSnapshot(day.snapshot)
    await at.writer.putMedium(DAY, 'wav', day.media.wav)
    await at.writer.putMedium(DAY, 'png', day.media.png)
    const [code, message] = await refusal(at.writer.seal(day.manifest))
    expect(code).toBe('incomplete_day')
    expect(message).toMatch(/\.mp4: does not exist$/)
    expect(await new ArchiveReader(folderPlace(at.dir)).days()).toEqual([])
  })

  it('the writer does not seal a manifest that contradicts itself', async () => {
    await at.writer.fixSnapshot(day.snapshot)
    const wrong = { ...day.manifest, day: '2026-11-18' }
    expect((await refusal(at.writer.seal(wrong)))[0]).toBe('invalid_manifest')
  })
})

/** Different from the tools of `makeDay`. */
const TOOLS = { renderer: '1', node: '26.0.0', sharp: '0.36.0', ffmpeg: '8.0' }

/** Wall-clock time long after the files were written [ms since 1970]. */
const NOW = Date.parse('2100-01-01T00:00:00Z')

describe('repair', () => {
  const wav = filenameOf(day, 'wav')

  it('a repair adds an unavailable media file, and changes nothing else in the manifest', async () => {
    await publish(at.writer, withoutFilm(day))
    // Another missing media file does not prevent this.
    rmSync(join(at.dir, DAY, wav))
    const added = await at.writer.addMedium(DAY, 'mp4', day.media.mp4, PROPERTIES.mp4, TOOLS)
    const mp4 = { ...day.manifest.media.mp4, rendered_with: TOOLS }
    expect(added).toEqual({ ...day.manifest, media: { ...day.manifest.media, mp4 } })
    expect((await new ArchiveReader(folderPlace(at.dir)).manifest(DAY))?.manifest).toEqual(added)
    expect(
      (await refusal(at.writer.addMedium(DAY, 'mp4', day.media.mp4, PROPERTIES.mp4, TOOLS)))[0],
    ).toBe('conflict')
  })

  it('a repair removes media files that the manifest does not name', async () => {
    await publish(at.writer, day)
    const { sha256 } = await at.writer.putMedium(DAY, 'png', picture(64, 36, 7))
    expect(await at.writer.removeOrphans(DAY, NOW)).toEqual([`${sha256}.png`])
    expect(await at.writer.removeOrphans(DAY, NOW)).toEqual([])
  })

  it('a repair of a day that is not sealed fails', async () => {
    await at.writer.fixSnapshot(day.snapshot)
    expect((await refusal(at.writer.repair(DAY, 'wav', day.media.wav)))[0]).toBe('not_sealed')
    expect((await refusal(at.writer.repairSnapshot(DAY)))[0]).toBe('not_sealed')
    expect(await at.writer.fixedSnapshot(DAY)).toEqual(day.snapshot)
  })
})
