// The reader: it returns whole days only, opens only files that a manifest names, and never writes.
// Rules: FORMAT.md 2.2-2.4; WRITING.md 2.2.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { asReadError, badFile } from '../../../archive/base/errors.ts'
import { manifestBytes } from '../../../archive/format/manifest.ts'
import { manifestName, snapshotName } from '../../../archive/format/paths.ts'
import { snapshotBytes } from '../../../archive/format/snapshot.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import type { Place } from '../../../archive/place/place.ts'
import { ArchiveReader } from '../../../archive/reading/reader.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { temporaryFolder } from '../../support/release.ts'
import { until } from '../../support/time.ts'
import { openWriter } from '../../support/writers.ts'
import { filenameOf, makeDay, publish, withoutFilm } from '../days.ts'
import { refusal } from '../refusal.ts'

const first = makeDay('2026-11-18', null)
const second = makeDay('2026-11-19', first)
const DAY = '2026-11-19'
const [WAV, PNG] = [filenameOf(second, 'wav'), filenameOf(second, 'png')]

const model = temporaryFolder()
const writer = await openWriter(model, { create: false })
for (const day of [first, second]) await publish(writer, day)

let dir: string
beforeEach(() => {
  dir = join(temporaryFolder(), 'archive')
  cpSync(model, dir, { recursive: true })
})

const codeOf = async (work: Promise<unknown>): Promise<string> => (await refusal(work))[0]

describe('days', () => {
  it('an open reader finds a new day once its manifest exists', async () => {
    const reader = new ArchiveReader(folderPlace(dir))
    expect(await reader.days()).toHaveLength(2)
    const third = makeDay('2026-11-20', second)
    mkdirSync(join(dir, '2026-11-20'))
    writeFileSync(join(dir, '2026-11-20', '2026-11-20.json'), snapshotBytes(third.snapshot))
    expect(await reader.days()).toHaveLength(2)
    expect(await reader.snapshot('2026-11-20')).toBeNull()
    expect(await reader.manifest('2026-11-20')).toBeNull()
    const manifest = join(dir, '2026-11-20', '2026-11-20.manifest.json')
    writeFileSync(manifest, manifestBytes(third.manifest))
    expect(await reader.days()).toHaveLength(3)
    expect((await reader.snapshot('2026-11-20'))?.snapshot).toEqual(third.snapshot)
  })

  it('only a folder that is named like a day counts as a day', async () => {
    writeFileSync(join(dir, '2026-11-20'), '')
    symlinkSync(join(dir, DAY), join(dir, '2026-11-21'))
    cpSync(join(dir, DAY), join(dir, '2026-11-31'), { recursive: true })
    cpSync(join(dir, DAY), join(dir, '2026-11-19 (copy)'), { recursive: true })
    const reader = new ArchiveReader(folderPlace(dir))
    expect(await reader.days()).toEqual(['2026-11-18', '2026-11-19'])
    expect(await reader.manifest('2026-11-21')).toBeNull()
    expect(await reader.manifest('2026-11-31')).toBeNull()
  })
})

describe('the files of a day', () => {
  it.each(['2026-11-17', '2026-11-31', '..', '.incoming', `../archive/${DAY}`, '', `${DAY}/`])(
    'the reader returns null for %j as a day',
    async (day) => {
      const reader = new ArchiveReader(folderPlace(dir))
      expect(await reader.snapshot(day)).toBeNull()
      expect(await reader.manifest(day)).toBeNull()
      expect(await reader.openMedia(day, WAV)).toBeNull()
    },
  )

  it('the reader reads a manifest again after a repair replaced it', async () => {
    const reader = new ArchiveReader(folderPlace(dir))
    const before = await reader.manifest(DAY)
    expect(await reader.manifest(DAY)).toBe(before)
    const { manifest: other } = withoutFilm(second)
    const path = join(dir, DAY, manifestName(DAY))
    writeFileSync(`${path}.new`, manifestBytes(other))
    renameSync(`${path}.new`, path)
    expect((await reader.manifest(DAY))?.manifest).toEqual(other)
  })
})

describe('media files', () => {
  it.skipIf(!existsSync('/proc/self/fd'))('a file cancelled halfway is closed', async () => {
    const medium = await new ArchiveReader(folderPlace(dir)).openMedia(DAY, WAV)
    const open = () => readdirSync('/proc/self/fd').length
    const before = open()
    for (let i = 0; i < 20; i++) {
      const reader = (await medium!.open()).getReader()
      await reader.read()
      await reader.cancel()
    }
    await until(() => open() <= before + 1)
  })

  it('a media file that is a link, is missing or has another size is reported as damaged', async () => {
    const reader = new ArchiveReader(folderPlace(dir))
    const path = join(dir, DAY, PNG)
    renameSync(path, join(dir, '..', 'png'))
    expect(await codeOf(reader.openMedia(DAY, PNG))).toBe('invalid_medium')
    symlinkSync(join(dir, '..', 'png'), path)
    expect(await codeOf(reader.openMedia(DAY, PNG))).toBe('invalid_medium')
    rmSync(path)
    writeFileSync(path, 'short')
    expect(await codeOf(reader.openMedia(DAY, PNG))).toBe('invalid_medium')
  })
})

describe('damage', () => {
  /** A reader of the folder on a disk that fails to read this file. */
  function onBadDisk(name: string): ArchiveReader {
    const [whole, place] = [folderPlace(dir), folderPlace(dir)]
    const read: Place['read'] = async (key) =>
      key === name ? badFile('unreadable', 'cannot be read (EIO)') : whole.read(key)
    const stat: Place['stat'] = async (key) => {
      if (key === name) throw asReadError({ code: 'EIO', path: join(dir, key) }, dir)
      return whole.stat(key)
    }
    return new ArchiveReader(Object.assign(place, { read, stat }))
  }

  it('a manifest that the disk cannot read counts as damage to its day, which is still listed', async () => {
    const reader = onBadDisk(`${DAY}/${manifestName(DAY)}`)
    expect(await reader.days()).toEqual(['2026-11-18', DAY])
    await expect(reader.manifest(DAY)).rejects.toMatchObject({
      code: 'invalid_manifest',
      message: `${DAY}/${manifestName(DAY)}: cannot be read (EIO)`,
    })
    expect(await reader.manifest('2026-11-18')).toMatchObject({ manifest: { day: '2026-11-18' } })
  })

  it('a snapshot that the disk cannot read counts as damage to that file', async () => {
    const reader = onBadDisk(`${DAY}/${snapshotName(DAY)}`)
    expect(await codeOf(reader.snapshot(DAY))).toBe('invalid_snapshot')
  })

  it('a media file that cannot be opened is reported before any of it is sent', async () => {
    const place = folderPlace(dir)
    Object.assign(place, { open: async () => badFile('unreadable', 'cannot be read (EACCES)') })
    expect(await codeOf(new ArchiveReader(place).openMedia(DAY, WAV))).toBe('invalid_medium')
  })

  it('the manifest of another day counts as damage', async () => {
    overwriteFile(join(dir, DAY, manifestName(DAY)), manifestBytes(first.manifest))
    expect(await codeOf(new ArchiveReader(folderPlace(dir)).manifest(DAY))).toBe('invalid_manifest')
  })
})

it('no call of the reader changes the folder', async () => {
  const state = () =>
    readdirSync(dir, { recursive: true })
      .sort()
      .map((name) => `${name} ${statSync(join(dir, `${name}`)).mtimeMs}`)
  const before = state()
  const reader = new ArchiveReader(folderPlace(dir))
  await reader.days()
  await reader.snapshot(DAY)
  await new Response(await (await reader.openMedia(DAY, WAV))?.open()).bytes()
  expect(state()).toEqual(before)
})
