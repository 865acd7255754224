// Tests that the next run completes what a killed one was asked for. Kills at every operation: test/faults/publish.slow.test.ts.
// Rules: WRITING.md 1.4.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { dayOf, dayStart, isDay, previousDay } from '../../archive/format/calendar.ts'
import { manifestKey, snapshotKey, snapshotName } from '../../archive/format/paths.ts'
import { folderPlace } from '../../archive/place/folder.ts'
import { ArchiveReader } from '../../archive/reading/reader.ts'
import { until } from '../support/time.ts'
import { runCommand, startCommand } from './commands/command.ts'
import { isEncoding, verify, workshopForEach } from './workshop.ts'

const workshop = workshopForEach()
beforeEach(async () => {
  // The first heartbeat makes yesterday the first day; without one since then, it would wait.
  await workshop.records.alive(dayStart(yesterday()), dayStart(yesterday()))
  await workshop.records.alive(Date.now(), Date.now())
})

const yesterday = () => previousDay(dayOf(Date.now()))

async function postYesterday(): Promise<void> {
  const { records } = workshop
  const at = dayStart(yesterday())
  const garden = await records.directory('garden', at)
  await records.message(garden, at + 1, 'of yesterday')
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

describe('killed pipelines', () => {
  it('the next run completes a day requested of a killed run, and removes the unfinished film', async () => {
    await postYesterday()
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
