// Tests the staging folder: what the next run continues from, what replaces what, and how damage is handled.
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { manifestBytes } from '../../../archive/format/manifest.ts'
import { manifestName, snapshotName } from '../../../archive/format/paths.ts'
import { snapshotBytes } from '../../../archive/format/snapshot.ts'
import { openReader } from '../../../archive/reader.ts'
import { openWriter } from '../../../archive/writing/writer.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { filenameOf, makeDay, makeManifest, makeSnapshot, picture, publish } from '../days.ts'
import { refusal } from '../refusal.ts'
import { DAY, day, newArchive } from './new-archive.ts'

const at = newArchive()

describe('staging', () => {
  it('the first snapshot that is staged for a day stays fixed, also for the next run', async () => {
    await at.writer.stageSnapshot(day.snapshot)
    await at.writer.stageSnapshot(day.snapshot)
    const next = await openWriter(at.dir, { create: false })
    expect((await next.fixedSnapshot(DAY))?.snapshot).toEqual(day.snapshot)
    const later = makeSnapshot(DAY, { generated_at: '2026-11-21T00:00:00.000Z' })
    expect((await refusal(next.stageSnapshot(later)))[0]).toBe('conflict')
    expect((await next.fixedSnapshot(DAY))?.snapshot).toEqual(day.snapshot)
    expect(await openReader(at.dir).days()).toEqual([])
  })

  it('staging continues from a published snapshot that has no manifest', async () => {
    mkdirSync(join(at.dir, DAY))
    writeFileSync(join(at.dir, DAY, snapshotName(DAY)), snapshotBytes(day.snapshot))
    expect((await at.writer.fixedSnapshot(DAY))?.snapshot).toEqual(day.snapshot)
    const later = makeSnapshot(DAY, { generated_at: '2026-11-21T00:00:00.000Z' })
    expect((await refusal(at.writer.stageSnapshot(later)))[0]).toBe('conflict')
    await publish(at.writer, day)
    expect(await openReader(at.dir).days()).toEqual([DAY])
  })

  it('staging prefers a published snapshot to a staged one', async () => {
    const later = makeSnapshot(DAY, { generated_at: '2026-11-21T00:00:00.000Z' })
    await at.writer.stageSnapshot(later)
    expect((await at.writer.fixedSnapshot(DAY))?.inPlace).toBe(false)
    mkdirSync(join(at.dir, DAY))
    writeFileSync(join(at.dir, DAY, snapshotName(DAY)), snapshotBytes(day.snapshot))
    expect((await at.writer.fixedSnapshot(DAY))?.inPlace).toBe(true)
    expect((await at.writer.fixedSnapshot(DAY))?.snapshot).toEqual(day.snapshot)
    await at.writer.discard(DAY)
    expect((await at.writer.fixedSnapshot(DAY))?.snapshot).toEqual(day.snapshot)
  })

  it('a damaged published snapshot is an error that names it', async () => {
    mkdirSync(join(at.dir, DAY))
    writeFileSync(join(at.dir, DAY, snapshotName(DAY)), '')
    expect(await refusal(at.writer.fixedSnapshot(DAY))).toEqual([
      'invalid_snapshot',
      `${DAY}/${snapshotName(DAY)}: snapshot: is not JSON in UTF-8`,
    ])
  })

  it('sealing a day again whose manifest was lost leaves only the files that the new one names', async () => {
    await publish(at.writer, day)
    rmSync(join(at.dir, DAY, manifestName(DAY)))
    expect((await at.writer.fixedSnapshot(DAY))?.inPlace).toBe(true)
    const media = { ...day.media, png: picture(64, 36, 77) }
    const again = { ...day, media, manifest: makeManifest(day.snapshot, media) }
    await publish(at.writer, again)
    const names = (['wav', 'mp4', 'png'] as const).map((kind) => filenameOf(again, kind))
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

  it('staging names a media file by its hash', async () => {
    const properties = { duration_seconds: 29.16, width: 64, height: 36 }
    const staged = await at.writer.stageMedium(DAY, 'mp4', day.media.mp4, properties)
    expect(staged).toEqual(day.manifest.media.mp4)
  })

  it('the writer does not seal a day that lacks a file which the manifest names', async () => {
    await at.writer.stageSnapshot(day.snapshot)
    await at.writer.stageMedium(DAY, 'wav', day.media.wav)
    await at.writer.stageMedium(DAY, 'png', day.media.png)
    const [code, message] = await refusal(at.writer.seal(day.manifest))
    expect(code).toBe('incomplete_staging')
    expect(message).toMatch(/\.mp4: is not staged$/)
    expect(existsSync(join(at.dir, DAY))).toBe(false)
    expect((await at.writer.recover()).completed).toEqual([])
  })

  it('the writer does not seal a manifest that contradicts itself', async () => {
    await at.writer.stageSnapshot(day.snapshot)
    const wrong = { ...day.manifest, day: '2026-11-18' }
    expect((await refusal(at.writer.seal(wrong)))[0]).toBe('invalid_manifest')
  })
})

describe('damaged staging', () => {
  const inStaging = (name: string) => join(at.dir, '.staging', DAY, name)
  const corrupt = (name: string, content: string | Uint8Array) => {
    mkdirSync(join(at.dir, '.staging', DAY), { recursive: true })
    rmSync(inStaging(name), { force: true })
    writeFileSync(inStaging(name), content)
  }
  const other = makeDay('2026-11-20', null)

  it.each<[string, () => void]>([
    ['holds a malformed manifest', () => corrupt(manifestName(DAY), '{')],
    ['holds an empty snapshot', () => corrupt(snapshotName(DAY), '')],
    [
      'holds the snapshot of another day',
      () => corrupt(snapshotName(DAY), snapshotBytes(other.snapshot)),
    ],
    [
      'holds the manifest of another day',
      () => corrupt(manifestName(DAY), manifestBytes(other.manifest)),
    ],
    ['is committed and lacks files', () => corrupt(manifestName(DAY), manifestBytes(day.manifest))],
    ['is a file', () => writeFileSync(join(at.dir, '.staging', DAY), '')],
    [
      'holds a folder for a manifest',
      () => mkdirSync(inStaging(manifestName(DAY)), { recursive: true }),
    ],
  ])('a staging folder that %s stops neither its own day nor others', async (_, damage) => {
    const next = makeDay('2026-11-21', other)
    await publish(at.writer, other)
    for (const kind of ['wav', 'mp4', 'png'] as const)
      await at.writer.stageMedium(next.snapshot.day, kind, next.media[kind])
    await at.writer.stageSnapshot(next.snapshot)
    writeFileSync(
      join(at.dir, '.staging', next.snapshot.day, manifestName(next.snapshot.day)),
      manifestBytes(next.manifest),
    )
    damage()
    expect((await at.writer.recover()).completed).toEqual([next.snapshot.day])
    expect(await at.writer.fixedSnapshot(DAY)).toBeNull()
    await publish(at.writer, day)
    expect(await openReader(at.dir).days()).toEqual([DAY, '2026-11-20', '2026-11-21'])
    expect(readdirSync(join(at.dir, '.staging'))).toEqual([])
  })

  it('recovery keeps the fixed snapshot when only the staged manifest is damaged', async () => {
    await at.writer.stageSnapshot(day.snapshot)
    corrupt(manifestName(DAY), '{')
    expect((await at.writer.recover()).completed).toEqual([])
    expect((await at.writer.fixedSnapshot(DAY))?.snapshot).toEqual(day.snapshot)
  })

  it('recovery removes damaged staging and leaves a sealed day as it was published', async () => {
    await publish(at.writer, day)
    corrupt(manifestName(DAY), '{')
    expect((await at.writer.recover()).completed).toEqual([])
    expect(readdirSync(join(at.dir, '.staging'))).toEqual([])
    expect((await openReader(at.dir).manifest(DAY))?.manifest).toEqual(day.manifest)
  })

  it('recovery withdraws another manifest that is staged for a sealed day', async () => {
    await publish(at.writer, day)
    const other = { ...day.manifest, rendered_with: { node: '1', sharp: '1', ffmpeg: null } }
    mkdirSync(join(at.dir, '.staging', DAY), { recursive: true })
    writeFileSync(join(at.dir, '.staging', DAY, manifestName(DAY)), manifestBytes(other))
    expect(await at.writer.recover()).toEqual({ completed: [], failed: [] })
    expect((await openReader(at.dir).manifest(DAY))?.bytes).toEqual(
      Buffer.from(manifestBytes(day.manifest)),
    )
    expect(readdirSync(join(at.dir, '.staging'))).toEqual([])
  })

  it('recovery keeps the staging of a day whose published manifest is damaged, and the error names it', async () => {
    await publish(at.writer, day)
    overwriteFile(join(at.dir, DAY, manifestName(DAY)), '{')
    corrupt(manifestName(DAY), manifestBytes(day.manifest))
    expect(await at.writer.recover()).toMatchObject({
      completed: [],
      failed: [{ day: DAY, error: { code: 'invalid_manifest' } }],
    })
    expect(await refusal(at.writer.fixedSnapshot(DAY))).toEqual([
      'invalid_manifest',
      `${DAY}/${manifestName(DAY)}: manifest: is not JSON in UTF-8`,
    ])
  })
})
