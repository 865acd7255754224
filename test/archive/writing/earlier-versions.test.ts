// Tests that an archive which earlier versions have left in the middle of a run is completed: with its staged bytes, and
// with its seals checked before they are removed.
// Rules: WRITING.md 1.6.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sha256Of } from '../../../archive/format/hash.ts'
import { manifestBytes } from '../../../archive/format/manifest.ts'
import { MEDIA_KINDS } from '../../../archive/format/media.ts'
import { manifestName, snapshotName } from '../../../archive/format/paths.ts'
import { snapshotBytes } from '../../../archive/format/snapshot.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { openReader } from '../../../archive/reading/reader.ts'
import {
  completeStaged,
  hasSeal,
  removeEarlierFolders,
} from '../../../archive/writing/earlier-versions.ts'
import { faultyDisk } from '../../support/faulty-disk.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { IN_FULL } from '../../support/runs.ts'
import { type Day, filenameOf, makeDay, makeSnapshot, publish } from '../days.ts'
import { refusal } from '../refusal.ts'
import { DAY, day, newArchive } from './new-archive.ts'

const at = newArchive()

/** Stages a day as earlier versions did. @param isCommitted whether its manifest is staged */
function stage({ snapshot, media, manifest }: Day, isCommitted: boolean): void {
  const folder = join(at.dir, '.staging', snapshot.day)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, snapshotName(snapshot.day)), snapshotBytes(snapshot))
  for (const kind of MEDIA_KINDS)
    writeFileSync(join(folder, filenameOf({ snapshot, media, manifest }, kind)), media[kind])
  if (isCommitted) writeFileSync(join(folder, manifestName(snapshot.day)), manifestBytes(manifest))
}

const place = () => folderPlace(at.dir)
const staging = () => readdirSync(join(at.dir, '.staging'))

describe('staged days', () => {
  const second = makeDay('2026-11-20', day)

  it('a committed day is published as it was staged, and a staged snapshot stays fixed', async () => {
    stage(day, true)
    stage(second, false)
    expect(await completeStaged(place())).toEqual({ completed: [DAY], failed: [] })
    expect((await openReader(at.dir).manifest(DAY))?.manifest).toEqual(day.manifest)
    expect(await at.writer.fixedSnapshot('2026-11-20')).toEqual(second.snapshot)
    expect(staging()).toEqual([])
  })

  it.runIf(IN_FULL)(
    'a fault at any write loses nothing, and the next attempt completes the day',
    async () => {
      stage(day, true)
      const { disk, writes } = faultyDisk()
      await completeStaged(folderPlace(at.dir, disk))
      expect(writes.length).toBeGreaterThan(20)
      for (const moment of ['before', 'after'] as const)
        for (const at_ of writes.keys()) {
          rmSync(join(at.dir, DAY), { recursive: true, force: true })
          stage(day, true)
          const { disk: faulty } = faultyDisk({ at: at_, moment, kind: 'crash' })
          await completeStaged(folderPlace(at.dir, faulty)).catch(() => {})
          await completeStaged(place())
          expect((await openReader(at.dir).manifest(DAY))?.manifest).toEqual(day.manifest)
          for (const kind of MEDIA_KINDS)
            expect(await openReader(at.dir).openMedia(DAY, filenameOf(day, kind))).not.toBeNull()
          expect(staging()).toEqual([])
        }
    },
  )

  it('an upgrade that was committed is applied', async () => {
    const mp4 = { available: false as const, reason: 'ffmpeg_not_found' as const }
    const without = { ...day.manifest, media: { ...day.manifest.media, mp4 } }
    await publish(at.writer, { ...day, manifest: without })
    stage(day, true)
    expect((await completeStaged(place())).completed).toEqual([DAY])
    expect((await openReader(at.dir).manifest(DAY))?.manifest).toEqual(day.manifest)
  })

  it.each([
    [
      'contradicts itself',
      {
        ...day.snapshot,
        coverage: { status: 'partial' as const, observed_seconds: 86_400, reasons: [] },
      },
    ],
    ['names a predecessor that is not here', makeDay(DAY, makeDay('2026-11-18', null)).snapshot],
  ])('a staged snapshot that %s is not kept', async (_, snapshot) => {
    mkdirSync(join(at.dir, '.staging', DAY), { recursive: true })
    writeFileSync(join(at.dir, '.staging', DAY, snapshotName(DAY)), snapshotBytes(snapshot))
    expect(await completeStaged(place())).toEqual({ completed: [], failed: [] })
    expect(await at.writer.fixedSnapshot(DAY)).toBeNull()
  })

  it('a snapshot in the folder of the day is older than a staged one, and is kept', async () => {
    const later = makeSnapshot(DAY, { generated_at: '2026-11-21T00:00:00.000Z' })
    await at.writer.fixSnapshot(day.snapshot)
    stage({ ...day, snapshot: later }, false)
    await completeStaged(place())
    expect(await at.writer.fixedSnapshot(DAY)).toEqual(day.snapshot)
  })
})

describe('seals', () => {
  const seal = (sha256: string) => {
    mkdirSync(join(at.dir, '.seals'), { recursive: true })
    writeFileSync(join(at.dir, '.seals', `${DAY}.${sha256}`), '')
  }
  const sealed = sha256Of(manifestBytes(day.manifest))
  const remove = (leaf?: string) =>
    removeEarlierFolders(place(), new Map(leaf === undefined ? [] : [[DAY, { sha256: leaf }]]))

  it('the folders are removed once every sealed day is as it was published', async () => {
    await publish(at.writer, day)
    mkdirSync(join(at.dir, '.staging'))
    seal(sealed)
    expect(await remove()).toEqual([])
    for (const folder of ['.staging', '.seals'])
      expect(existsSync(join(at.dir, folder))).toBe(false)
  })

  it('a manifest that was upgraded since is accepted by its leaf', async () => {
    await publish(at.writer, day)
    seal('0'.repeat(64))
    expect(await remove(sealed)).toEqual([])
    expect(existsSync(join(at.dir, '.seals'))).toBe(false)
  })

  it.each([
    [
      'is lost',
      () => rmSync(join(at.dir, DAY, manifestName(DAY))),
      'was published, but is missing',
    ],
    ['has changed', () => seal('0'.repeat(64)), 'is not as it was published'],
  ])('the folders stay while a manifest %s', async (_, harm, message) => {
    await publish(at.writer, day)
    if (message.includes('missing')) seal(sealed)
    harm()
    expect(await remove()).toEqual([
      `${DAY}/${manifestName(DAY)}: ${message}; restore it with --repair --from PLACE`,
    ])
    expect(await hasSeal(place(), DAY)).toBe(true)
  })

  it('the folders stay while a day is staged', async () => {
    await publish(at.writer, day)
    stage(makeDay('2026-11-20', day), false)
    seal(sealed)
    expect(await remove()).toEqual([])
    expect(await hasSeal(place(), DAY)).toBe(true)
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
    stage(next, true)
    damage()
    expect((await completeStaged(place())).completed).toEqual([next.snapshot.day])
    expect(await at.writer.fixedSnapshot(DAY)).toBeNull()
    await publish(at.writer, day)
    expect(await openReader(at.dir).days()).toEqual([DAY, '2026-11-20', '2026-11-21'])
    expect(staging()).toEqual([])
  })

  it('completion keeps the fixed snapshot when only the staged manifest is damaged', async () => {
    stage(day, false)
    corrupt(manifestName(DAY), '{')
    expect((await completeStaged(place())).completed).toEqual([])
    expect(await at.writer.fixedSnapshot(DAY)).toEqual(day.snapshot)
  })

  it('completion removes damaged staging and leaves a sealed day as it was published', async () => {
    await publish(at.writer, day)
    corrupt(manifestName(DAY), '{')
    expect((await completeStaged(place())).completed).toEqual([])
    expect(staging()).toEqual([])
    expect((await openReader(at.dir).manifest(DAY))?.manifest).toEqual(day.manifest)
  })

  it('completion withdraws another manifest that is staged for a sealed day', async () => {
    await publish(at.writer, day)
    const other = { ...day.manifest, rendered_with: { node: '1', sharp: '1', ffmpeg: null } }
    mkdirSync(join(at.dir, '.staging', DAY), { recursive: true })
    writeFileSync(join(at.dir, '.staging', DAY, manifestName(DAY)), manifestBytes(other))
    expect(await completeStaged(place())).toEqual({ completed: [], failed: [] })
    expect((await openReader(at.dir).manifest(DAY))?.bytes).toEqual(
      Buffer.from(manifestBytes(day.manifest)),
    )
    expect(staging()).toEqual([])
  })

  it('completion keeps the staging of a day whose published manifest is damaged, and the error names it', async () => {
    await publish(at.writer, day)
    overwriteFile(join(at.dir, DAY, manifestName(DAY)), '{')
    corrupt(manifestName(DAY), manifestBytes(day.manifest))
    expect(await completeStaged(place())).toMatchObject({
      completed: [],
      failed: [{ day: DAY, error: { code: 'invalid_manifest' } }],
    })
    expect(await refusal(at.writer.fixedSnapshot(DAY))).toEqual([
      'invalid_manifest',
      `${DAY}/${manifestName(DAY)}: manifest: is not JSON in UTF-8`,
    ])
  })
})
