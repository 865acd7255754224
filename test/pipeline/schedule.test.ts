// The pipeline next to a running server: at its start, on time, and ended with it.
import { once } from 'node:events'
import { existsSync, renameSync } from 'node:fs'
import { constants, getPriority } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { dayOf, previousDay } from '../../archive/format/paths.ts'
import { openReader } from '../../archive/reader.ts'
import { ensureArchiveFolder } from '../../pipeline/folder.ts'
import { lockArchive } from '../../pipeline/lock.ts'
import { type Schedule, startRun, startSchedule } from '../../pipeline/schedule.ts'
import { childEnvironment } from '../support/programs.ts'
import { standInFfmpeg } from '../support/stand-in-ffmpeg.ts'
import { until } from '../support/time.ts'
import { isEncoding, openWorkshop, type Workshop } from './workshop.ts'

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

function start(
  expression: string | undefined,
  encoding: 'done' | 'busy' = 'done',
  watchMs?: number,
): void {
  const listen = (level: string) => (_fields: object, message: string) => {
    said.push(`${level} ${message}`)
  }
  schedule = startSchedule(
    {
      newestFirst: false,
      expression,
      environment: childEnvironment({
        DATA_DIR: workshop.dir,
        FFMPEG_PATH: standInFfmpeg(join(workshop.dir, 'bin'), encoding),
      }),
      log: { info: listen('info'), warn: listen('warn'), error: listen('error') },
    },
    watchMs,
  )
}

describe('the schedule', () => {
  it('the schedule makes the missing days at the start', async () => {
    start(RARELY)
    await until(() => said.length > 0)
    expect(said).toEqual([`info snapshot of ${YESTERDAY} published`])
    expect(await openReader(workshop.archiveDir).days()).toEqual([YESTERDAY])
  })

  it('a run gives way to the server', async () => {
    schedule = { nextRun: () => null, stop: async () => {} }
    const run = startRun(['--help'], childEnvironment())
    const { PRIORITY_BELOW_NORMAL } = constants.priority
    expect(getPriority(run.pid)).toBe(Math.max(PRIORITY_BELOW_NORMAL, getPriority()))
    await once(run, 'exit')
  })

  it('the schedule runs on time, and logs no error while another pipeline is running', async () => {
    await ensureArchiveFolder(workshop.store, workshop.archiveDir)
    const release = lockArchive(workshop.archiveDir)
    start(EVERY_SECOND)
    await until(() => said.length >= 2)
    release()
    expect(new Set(said)).toEqual(
      new Set([`info snapshots: snapshot: ${workshop.archiveDir}: another pipeline is running`]),
    )
  })

  it('a time of the schedule that the clock jumps over has its run soon after', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      await ensureArchiveFolder(workshop.store, workshop.archiveDir)
      const release = lockArchive(workshop.archiveDir)
      start(RARELY, 'done', 10)
      await until(() => said.length === 1)
      vi.setSystemTime(Date.now() + 400 * 86_400_000)
      await until(() => said.length === 2)
      release()
    } finally {
      vi.useRealTimers()
    }
  })

  it('the schedule makes nothing when it is off', async () => {
    start(undefined)
    // It would wait for a run, and report it.
    await schedule.stop()
    expect(existsSync(workshop.archiveDir)).toBe(false)
    expect(said).toEqual([])
  })

  it('the schedule warns of a missing archive, and does not make it again', async () => {
    await ensureArchiveFolder(workshop.store, workshop.archiveDir)
    renameSync(workshop.archiveDir, `${workshop.archiveDir}.away`)
    start(RARELY)
    await until(() => said.length > 0)
    expect(said).toEqual([expect.stringMatching(/^warn .*the archive was here once/)])
    expect(existsSync(workshop.archiveDir)).toBe(false)
  })

  it('a stop ends a run in progress within 5 s, and the next start completes the day', async () => {
    start(RARELY, 'busy')
    await until(() => isEncoding(workshop))
    const asked = performance.now()
    await schedule.stop()
    expect(performance.now() - asked).toBeLessThan(5000)
    expect(said).toEqual([expect.stringContaining('stopped by SIGTERM')])
    expect(await openReader(workshop.archiveDir).days()).toEqual([])
    start(RARELY)
    await until(() => said.length > 1)
    expect(await openReader(workshop.archiveDir).days()).toEqual([YESTERDAY])
  })
})
