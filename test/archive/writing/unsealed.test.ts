// Tests how the writer assembles a day: what the next run continues from, what replaces what, and what is not sealed.
// Rules: WRITING.md 1.3, 1.5.
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MEDIA_KINDS } from '../../../archive/format/media.ts'
import { manifestName, snapshotName } from '../../../archive/format/paths.ts'
import { folderReader } from '../../../archive/reading/reader.ts'
import { openWriter } from '../../support/writers.ts'
import { filenameOf, makeManifest, makeSnapshot, picture, publish } from '../days.ts'
import { refusal } from '../refusal.ts'
import { DAY, day, newArchive } from './new-archive.ts'

const at = newArchive()

describe('unsealed days', () => {
  it('the first snapshot of a day stays fixed, also for the next run', async () => {
    await at.writer.fixSnapshot(day.snapshot)
    await at.writer.fixSnapshot(day.snapshot)
    const next = await openWriter(at.dir, { create: false })
    expect(await next.fixedSnapshot(DAY)).toEqual(day.snapshot)
    const later = makeSnapshot(DAY, { generated_at: '2026-11-21T00:00:00.000Z' })
    expect(await next.fixSnapshot(later)).toEqual(day.snapshot)
    expect(await next.fixedSnapshot(DAY)).toEqual(day.snapshot)
    expect(await folderReader(at.dir).days()).toEqual([])
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
    const properties = { duration_seconds: 29.16, width: 64, height: 36 }
    const staged = await at.writer.putMedium(DAY, 'mp4', day.media.mp4, properties)
    expect(staged).toEqual(day.manifest.media.mp4)
  })

  it('the writer does not seal a day that lacks a file which the manifest names', async () => {
    await at.writer.fixSnapshot(day.snapshot)
    await at.writer.putMedium(DAY, 'wav', day.media.wav)
    await at.writer.putMedium(DAY, 'png', day.media.png)
    const [code, message] = await refusal(at.writer.seal(day.manifest))
    expect(code).toBe('incomplete_day')
    expect(message).toMatch(/\.mp4: does not exist$/)
    expect(await folderReader(at.dir).days()).toEqual([])
  })

  it('the writer does not seal a manifest that contradicts itself', async () => {
    await at.writer.fixSnapshot(day.snapshot)
    const wrong = { ...day.manifest, day: '2026-11-18' }
    expect((await refusal(at.writer.seal(wrong)))[0]).toBe('invalid_manifest')
  })
})
