// Lets every write from a day's first file to its check files fail before, during or after taking effect, or be the last
// before a crash: readers see whole days only, and the next run finishes the day and the log.
// Rules: WRITING.md 1.2-1.4, 1.6.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { realDisk } from '../../../archive/base/durable.ts'
import { sha256Of } from '../../../archive/format/hash.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { ArchiveReader } from '../../../archive/reading/reader.ts'
import { isNote, type Report } from '../../../archive/verify/findings.ts'
import { writeSums } from '../../../archive/writing/derived.ts'
import type { ArchiveWriter } from '../../../archive/writing/writer.ts'
import { type Fault, faultyDisk, type Write } from '../../support/faulty-disk.ts'
import { temporaryFolder } from '../../support/release.ts'
import { openWriter } from '../../support/writers.ts'
import { type Day, makeDay, PROPERTIES, publish, withoutFilm } from '../days.ts'
import { verified } from '../decoding.ts'
import { findingsIn } from '../findings.ts'
import { type MemoryKeeper, memoryKeeper, openTestLog } from '../signing.ts'

const first = makeDay('2026-11-18', null)
const second = makeDay('2026-11-19', first)

/** A change to an archive that already has some days, after which the log is finished and signed, and the check files are written. */
interface Work {
  name: string
  before: Day[]
  /** Whether the log has the days before. */
  isLogged: boolean
  run?(writer: ArchiveWriter, dir: string): Promise<unknown>
  /** The keys that sign, the first one by default. */
  keys?: number[]
}

const WORKS: Work[] = [
  { name: 'the first day', before: [], isLogged: false, run: (writer) => publish(writer, first) },
  {
    name: 'another day',
    before: [first],
    isLogged: true,
    run: (writer) => publish(writer, second),
  },
  {
    name: 'a repair that adds a video',
    before: [first, withoutFilm(second)],
    isLogged: true,
    run: async (writer, dir) => {
      const published = await new ArchiveReader(folderPlace(dir)).manifest('2026-11-19')
      if (published?.manifest.media.mp4.available) return
      const { rendered_with } = second.manifest
      await writer.addMedium('2026-11-19', 'mp4', second.media.mp4, PROPERTIES.mp4, rendered_with)
    },
  },
  {
    name: 'a repair that restores a picture',
    before: [first, second],
    isLogged: true,
    run: (writer) => writer.repair('2026-11-19', 'png', second.media.png),
  },
  { name: 'the start of a log', before: [first, second], isLogged: false },
  { name: 'a new key', before: [first, second], isLogged: true, keys: [2, 1] },
]

/** What verify may find until the next run, because a day or its leaf is not finished. */
const WHILE_INTERRUPTED = [
  'no_days',
  'log_missing',
  'log_unsigned',
  'day_not_logged',
  'manifest_not_logged',
  'check_file_old',
]

const root = temporaryFolder()

const verify = (dir: string): Promise<Report> => verified(dir)

async function faultsOf(dir: string): Promise<unknown[]> {
  return findingsIn(await verify(dir)).filter(
    (finding) => !isNote(finding) && !WHILE_INTERRUPTED.includes(finding.code),
  )
}

/** Lists every published file with its hash, to compare two archives. */
function contentOf(dir: string): string[] {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
  return files
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => `${path.slice(dir.length)} ${sha256Of(readFileSync(path))}`)
    .sort()
}

/** Each moment of a write at which a run may crash, an error before it, and a full disk halfway. */
function faultsAt(at: number, { name }: Write): Fault[] {
  const moments = name === 'write' ? (['before', 'halfway', 'after'] as const) : BEFORE_AND_AFTER
  return [
    ...moments.map((moment): Fault => ({ at, moment, kind: 'crash' })),
    { at, moment: 'before', kind: 'EIO' },
    { at, moment: 'halfway', kind: 'ENOSPC' },
  ]
}
const BEFORE_AND_AFTER = ['before', 'after'] as const

describe.each(WORKS)('$name', (work) => {
  let model: string
  let kept: string | null
  beforeAll(async () => {
    model = join(root, work.name)
    const writer = await openWriter(model, { create: true })
    for (const day of work.before) await publish(writer, day)
    const keeper = memoryKeeper()
    const days = work.before.map(({ snapshot }) => snapshot.day)
    if (work.isLogged) await (await openTestLog(model, { keeper })).append(days)
    kept = keeper.kept
  })

  /** A copy of the archive before the change, and the checkpoint in the database. */
  function fresh(): { dir: string; keeper: MemoryKeeper } {
    const dir = mkdtempSync(join(root, 'attempt-'))
    cpSync(model, dir, { recursive: true })
    return { dir, keeper: { ...memoryKeeper(), kept } }
  }

  async function change(dir: string, keeper: MemoryKeeper, disk = realDisk): Promise<void> {
    await work.run?.(await openWriter(dir, { create: false, disk }), dir)
    const log = await openTestLog(dir, { keeper, disk, keys: work.keys ?? [1] })
    const days = await new ArchiveReader(folderPlace(dir)).days()
    expect(await log.append(days)).toEqual([])
    await writeSums(folderPlace(dir, disk), new ArchiveReader(folderPlace(dir)), false)
  }

  /** Changes an archive without a fault. @returns what is right afterwards, and the writes */
  async function whole() {
    const { dir, keeper } = fresh()
    const { disk, writes } = faultyDisk()
    await change(dir, keeper, disk)
    expect(await verify(dir)).toMatchObject({ ok: true, findings: [] })
    return { expected: contentOf(dir), writes }
  }

  async function expectRecovery(dir: string, keeper: MemoryKeeper, expected: string[], label = '') {
    expect(await faultsOf(dir), label).toEqual([])
    await change(dir, keeper, faultyDisk().disk)
    expect(contentOf(dir), label).toEqual(expected)
    rmSync(dir, { recursive: true })
  }

  it('a fault at any write leaves only whole days, and the next run completes archive and log', async () => {
    const { expected, writes } = await whole()
    expect(writes.length).toBeGreaterThanOrEqual(5)
    for (const fault of writes.flatMap((write, at) => faultsAt(at, write))) {
      const write = writes[fault.at] as Write
      const label = `${JSON.stringify(write)} ${JSON.stringify(fault)}`
      const { dir, keeper } = fresh()
      const error = await change(dir, keeper, faultyDisk(fault).disk).catch((error) => error)
      // A run does not fail because it cannot remove a temporary file.
      if (error) expect(error.message, label).toMatch(/injected|crashed|no space left/)
      else expect(write.name, label).toBe('remove')
      await expectRecovery(dir, keeper, expected, label)
    }
  }, 300_000)

  it.each(BEFORE_AND_AFTER)('so does a crash %s the write to the database', async (when) => {
    const { expected } = await whole()
    const { dir, keeper } = fresh()
    const replace = keeper.replace
    keeper.replace = async function (this: MemoryKeeper, from, to) {
      if (when === 'after') await replace.call(this, from, to)
      throw new Error('crashed')
    }
    await change(dir, keeper).catch(() => {})
    keeper.replace = replace
    await expectRecovery(dir, keeper, expected)
  })
})
