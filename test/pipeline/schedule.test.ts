// The pipeline beside a running server: at its start, on time, and ended with it.
import { existsSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dayOf, previousDay } from '../../archive/format/paths.ts'
import { openReader } from '../../archive/reader.ts'
import { ensureArchiveFolder } from '../../pipeline/folder.ts'
import { lockArchive } from '../../pipeline/lock.ts'
import { type Schedule, startSchedule } from '../../pipeline/schedule.ts'
import { openWorkshop, type Workshop } from './workshop.ts'

const YESTERDAY = previousDay(dayOf(Date.now()))
/** Not before next February. */
const RARELY = '0 0 1 2 *'
const EVERY_SECOND = '* * * * * *'

let workshop: Workshop
let said: string[]
let schedule: Schedule
beforeEach(async () => {
  workshop = await openWorkshop()
  said = []
})
afterEach(async () => {
  await schedule.stop()
  await workshop.close()
})

async function start(expression: string | undefined): Promise<void> {
  const listen = (level: string) => (_fields: object, message: string) => {
    said.push(`${level} ${message}`)
  }
  schedule = startSchedule({
    expression,
    environment: { PATH: process.env.PATH, DATA_DIR: workshop.dir },
    log: { info: listen('info'), warn: listen('warn'), error: listen('error') },
  })
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(20)
}

describe('the schedule', () => {
  it('makes what is missing at the start', async () => {
    await start(RARELY)
    await until(() => said.length > 0)
    expect(said).toEqual([`info snapshot of ${YESTERDAY} published`])
    expect(await openReader(workshop.archiveDir).days()).toEqual([YESTERDAY])
  })

  it('runs at its times, calmly when another pipeline is at work', async () => {
    await ensureArchiveFolder(workshop.store, workshop.archiveDir)
    const release = lockArchive(workshop.archiveDir)
    await start(EVERY_SECOND)
    await until(() => said.length >= 2)
    release()
    expect(new Set(said)).toEqual(
      new Set([`info snapshots: snapshot: ${workshop.archiveDir}: another pipeline is at work`]),
    )
  })

  it('makes nothing when it is off', async () => {
    await start(undefined)
    await sleep(500)
    expect(existsSync(workshop.archiveDir)).toBe(false)
    expect(said).toEqual([])
  })

  it('says that the archive is missing, and does not make it again', async () => {
    await ensureArchiveFolder(workshop.store, workshop.archiveDir)
    renameSync(workshop.archiveDir, `${workshop.archiveDir}.away`)
    await start(RARELY)
    await until(() => said.length > 0)
    expect(said).toEqual([expect.stringMatching(/^warn .*the archive was here once/)])
    expect(existsSync(workshop.archiveDir)).toBe(false)
  })

  it('ends a run that is under way within its seconds, and the next start completes the day', async () => {
    await start(RARELY)
    const video = join(workshop.archiveDir, '.staging', '.video')
    await until(() => existsSync(video) && readdirSync(video).length > 0)
    const asked = performance.now()
    await schedule.stop()
    expect(performance.now() - asked).toBeLessThan(5000)
    expect(said).toEqual([expect.stringContaining('stopped by SIGTERM')])
    expect(await openReader(workshop.archiveDir).days()).toEqual([])
    await start(RARELY)
    await until(() => said.length > 1)
    expect(await openReader(workshop.archiveDir).days()).toEqual([YESTERDAY])
  })
})
