// Lets every write of a publication fail before, during or after taking effect, and verifies the archive each time.
// Rules: WRITING.md 1.2-1.4.
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Disk } from '../../../archive/base/durable.ts'
import { sha256Of } from '../../../archive/format/hash.ts'
import type { Manifest } from '../../../archive/format/manifest.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { ArchiveReader } from '../../../archive/reading/reader.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import { isNote } from '../../../archive/verify/findings.ts'
import type { ArchiveWriter } from '../../../archive/writing/writer.ts'
import { type Fault, faultyDisk } from '../../support/faulty-disk.ts'
import { temporaryFolder } from '../../support/release.ts'
import { openWriter } from '../../support/writers.ts'
import { type Day, makeDay, publish } from '../days.ts'
import { decode } from '../decoding.ts'

const first = makeDay('2026-11-18', null)
const second = makeDay('2026-11-19', first)
const withoutVideo: Day = {
  ...second,
  manifest: {
    ...second.manifest,
    media: { ...second.manifest.media, mp4: { available: false, reason: 'ffmpeg_not_found' } },
  } as Manifest,
}

/** A change to an archive that already has some days. */
interface Work {
  name: string
  before: Day[]
  run(writer: ArchiveWriter, dir: string): Promise<unknown>
  /** The complete days after success. */
  days: string[]
}

const WORKS: Work[] = [
  {
    name: 'the first day',
    before: [],
    run: (writer) => publish(writer, first),
    days: ['2026-11-18'],
  },
  {
    name: 'another day',
    before: [first],
    run: (writer) => publish(writer, second),
    days: ['2026-11-18', '2026-11-19'],
  },
  {
    name: 'a repair that adds a video',
    before: [first, withoutVideo],
    run: async (writer, dir) => {
      const published = await new ArchiveReader(folderPlace(dir)).manifest('2026-11-19')
      if (published?.manifest.media.mp4.available) return
      const properties = { duration_seconds: 29.16, width: 64, height: 36 }
      const { rendered_with } = second.manifest
      await writer.addMedium('2026-11-19', 'mp4', second.media.mp4, properties, rendered_with)
    },
    days: ['2026-11-18', '2026-11-19'],
  },
  {
    name: 'a repair that restores a picture',
    before: [first, second],
    run: (writer) => writer.repair('2026-11-19', 'png', second.media.png),
    days: ['2026-11-18', '2026-11-19'],
  },
]

const root = temporaryFolder()

/** Creates the archive before a change. */
async function archiveBefore(work: Work): Promise<string> {
  const dir = join(root, work.name)
  const writer = await openWriter(dir, { create: true })
  for (const day of work.before) await publish(writer, day)
  return dir
}

/** Copies an archive for one attempt, replacing the copy of the attempt before. */
function copyOf(model: string): string {
  const dir = join(root, 'attempt')
  rmSync(dir, { recursive: true, force: true })
  cpSync(model, dir, { recursive: true })
  return dir
}

async function runWith(dir: string, disk: Disk, work: Work): Promise<Error | null> {
  const writer = await openWriter(dir, { create: false, disk })
  return (async () => {
    await work.run(writer, dir)
  })().then(
    () => null,
    (error: Error) => error,
  )
}

/** Returns the findings of a verification, except notes and `no_days`. */
async function faultsOf(dir: string): Promise<unknown[]> {
  const { findings, days } = await verifyArchive(folderPlace(dir), { decode })
  return [...findings, ...days.flatMap((day) => day.findings)].filter(
    (finding) => !isNote(finding) && finding.code !== 'no_days',
  )
}

/** Lists every published file with its hash, to compare two archives. */
function contentOf(dir: string): string[] {
  const days = readdirSync(dir).filter((name) => !name.startsWith('.'))
  const files = days.flatMap((day) => readdirSync(join(dir, day)).map((name) => join(day, name)))
  return files.map((file) => `${file} ${sha256Of(readFileSync(join(dir, file)))}`).sort()
}

describe.each(WORKS)('$name', (work) => {
  it('a fault at any write leaves only complete days, and the next run completes the archive', async () => {
    const { disk, writes } = faultyDisk()
    const model = await archiveBefore(work)
    const whole = copyOf(model)
    expect(await runWith(whole, disk, work)).toBeNull()
    expect(await faultsOf(whole)).toEqual([])
    const expected = contentOf(whole)

    const faults = [...writes.keys()].flatMap((at): Fault[] => {
      const moments =
        writes[at]?.name === 'write'
          ? (['before', 'halfway', 'after'] as const)
          : (['before', 'after'] as const)
      const crashes = moments.map((moment): Fault => ({ at, moment, kind: 'crash' }))
      return [...crashes, { at, moment: 'before', kind: 'EIO' }]
    })
    expect(faults.length).toBeGreaterThan(15)
    for (const fault of faults) {
      const label = `${JSON.stringify(writes[fault.at])} ${JSON.stringify(fault)}`
      const dir = copyOf(model)
      const error = await runWith(dir, faultyDisk(fault).disk, work)
      // A run does not fail because it cannot remove a temporary file.
      if (error) expect(error.message, label).toMatch(/injected|crashed/)
      else expect([writes[fault.at]?.name, fault.kind], label).toEqual(['remove', 'EIO'])
      expect(await faultsOf(dir), label).toEqual([])

      expect(await runWith(dir, faultyDisk().disk, work), label).toBeNull()
      const report = await verifyArchive(folderPlace(dir), { decode })
      expect(report.findings, label).toEqual([])
      expect(
        report.days.map((day) => [day.day, day.ok]),
        label,
      ).toEqual(work.days.map((day) => [day, true]))
      expect(contentOf(dir), label).toEqual(expected)
    }
  }, 300_000)
})
