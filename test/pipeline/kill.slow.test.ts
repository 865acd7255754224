// Tests that kill -9 at any moment leaves only whole days, and that the next run completes the rest (WRITING.md 1).
// Rules: FORMAT.md 2.3; WRITING.md 1.4.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { dayOf, dayStart, isDay, previousDay } from '../../archive/format/calendar.ts'
import { manifestKey, snapshotKey, snapshotName } from '../../archive/format/paths.ts'
import { folderPlace } from '../../archive/place/folder.ts'
import { ArchiveReader } from '../../archive/reading/reader.ts'
import { random } from '../support/random.ts'
import { standInFfmpeg } from '../support/stand-in-ffmpeg.ts'
import { elapse, until } from '../support/time.ts'
import { runCommand, startCommand } from './commands/command.ts'
import { isEncoding, verify, workshopForEach } from './workshop.ts'

const DAYS = 4
const KILLS = 8

/** The findings that verify may report until the next run, because a day or its leaf is not finished. */
const WHILE_INTERRUPTED = [
  'staging_left',
  'no_days',
  'log_missing',
  'log_unsigned',
  'day_not_logged',
  'check_file_old',
]

const workshop = workshopForEach()
beforeEach(async () => {
  // The first heartbeat makes yesterday the first day; without one since then, it would wait.
  await workshop.records.alive(dayStart(yesterday()), dayStart(yesterday()))
  await workshop.records.alive(Date.now(), Date.now())
})

const yesterday = () => previousDay(dayOf(Date.now()))

async function seed(days: number): Promise<void> {
  const { records } = workshop
  const first = dayStart(dayOf(Date.now())) - days * 86_400_000
  const garden = await records.directory('garden', first)
  for (let day = 0; day < days; day++)
    await records.message(garden, first + day * 86_400_000 + 1, `of day ${day}`)
}

/** Reads the snapshots that are fixed but not published, by day. */
function fixedSnapshots(): Map<string, string> {
  const { archiveDir } = workshop
  const found = new Map<string, string>()
  for (const day of existsSync(archiveDir) ? readdirSync(archiveDir).filter(isDay) : []) {
    const path = join(archiveDir, snapshotKey(day))
    if (existsSync(path) && !existsSync(join(archiveDir, manifestKey(day))))
      found.set(day, readFileSync(path, 'utf8'))
  }
  return found
}

/** Reads every visible day completely, repeatedly until the signal aborts: readers see only whole days. */
async function readAll(signal: AbortSignal): Promise<void> {
  const reader = new ArchiveReader(folderPlace(workshop.archiveDir))
  while (!signal.aborted) {
    for (const day of await reader.days().catch(() => [])) {
      expect(await reader.snapshot(day)).not.toBeNull()
      const media = (await reader.manifest(day))?.manifest.media
      for (const medium of Object.values(media ?? {}))
        if (medium.available) expect(await reader.openMedia(day, medium.filename)).not.toBeNull()
    }
    await elapse(5, 'let the run write')
  }
}

describe('killed pipelines', () => {
  it(`the next run completes the archive after ${KILLS} kills at random moments`, async () => {
    const last = yesterday()
    await seed(DAYS)
    const FFMPEG_PATH = standInFfmpeg(join(workshop.dir, 'bin'))
    const env = { DATA_DIR: workshop.dir, FFMPEG_PATH }
    const { uniform } = random(1)
    const moments: number[] = []
    const fixed = new Map<string, string>()
    const noteFixed = () => {
      for (const [day, bytes] of fixedSnapshots()) fixed.set(day, fixed.get(day) ?? bytes)
      return fixed.size > 0
    }
    for (let kill = 0; kill < KILLS; kill++) {
      const { child, ended } = startCommand([], workshop.dir, env)
      const over = new AbortController()
      const reading = readAll(over.signal)
      // The second kill waits until a snapshot is fixed, so that there is one to lose even on a slow machine.
      if (kill === 1) await until(() => noteFixed() || child.exitCode !== null, 60_000)
      moments.push(Math.round(uniform() * 1800))
      const moment = elapse(moments.at(-1) as number, 'each kill comes at another moment')
      const exited = await Promise.race([ended, moment])
      child.kill('SIGKILL')
      await ended
      over.abort()
      await reading
      if (exited) expect(exited).toMatchObject({ status: 0 })
      const at = `killed after ${moments.join(', ')} ms`
      noteFixed()
      if (!existsSync(workshop.archiveDir)) continue
      const report = await verify(workshop.archiveDir)
      const all = [...report.findings, ...report.days.flatMap(({ findings }) => findings)]
      expect(
        all.filter(({ code }) => !WHILE_INTERRUPTED.includes(code)),
        at,
      ).toEqual([])
    }
    expect(await runCommand([], workshop.dir, env)).toMatchObject({ status: 0, stderr: '' })

    const reader = new ArchiveReader(folderPlace(workshop.archiveDir))
    const days = await reader.days()
    // If midnight passes meanwhile, there is one more day.
    expect(days[DAYS - 1]).toBe(last)
    expect(await verify(workshop.archiveDir)).toMatchObject({ ok: true, findings: [] })
    expect(fixed.size).toBeGreaterThan(0)
    for (const [day, bytes] of fixed)
      expect(Buffer.from((await reader.snapshot(day))!.bytes).toString()).toBe(bytes)
  }, 180_000)

  it('the next run completes a day requested of a killed run, and removes the unfinished film', async () => {
    await seed(1)
    const env = { DATA_DIR: workshop.dir }
    const beforeAnyRecord = previousDay(previousDay(yesterday()))
    const { child, ended } = startCommand(['--day', beforeAnyRecord], workshop.dir, env)
    await until(() => isEncoding(workshop) || child.exitCode !== null)
    child.kill('SIGKILL')
    await ended
    const [[day, bytes]] = [...fixedSnapshots()] as [[string, string]]
    expect(await new ArchiveReader(folderPlace(workshop.archiveDir)).days()).toEqual([])
    expect(await runCommand([], workshop.dir, env)).toMatchObject({ status: 0 })
    expect(readFileSync(join(workshop.archiveDir, day, snapshotName(day)), 'utf8')).toBe(bytes)
    expect(existsSync(join(workshop.dir, '.cache', '.video'))).toBe(false)
    expect(await verify(workshop.archiveDir)).toMatchObject({ ok: true, findings: [] })
  }, 120_000)
})
