// Tests the schedule of a running server: runs at its start and on time, which end with it.
// Rules: COMMANDS.md 2.1; OPERATING.md 2.3.
import { once } from 'node:events'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { constants, getPriority } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { dayStart, previousDay } from '../../../archive/format/calendar.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { ArchiveReader } from '../../../archive/reading/reader.ts'
import { type Schedule, startRun, startSchedule } from '../../../pipeline/schedule/schedule.ts'
import { ensureArchiveFolder } from '../../../server/data/archive-folder.ts'
import { lockArchive } from '../../../server/data/pipeline-lock.ts'
import { ORIGIN, testKey, vkeyOf } from '../../archive/signing.ts'
import { childEnvironment } from '../../support/programs.ts'
import { inFull } from '../../support/runs.ts'
import { standInFfmpeg } from '../../support/stand-in-ffmpeg.ts'
import { today, until } from '../../support/time.ts'
import { startWitness } from '../../support/witness.ts'
import { isEncoding, workshopForEach } from '../workshop.ts'

const YESTERDAY = previousDay(await today())
/** Only on 1 February. */
const RARELY = '0 0 1 2 *'
const EVERY_SECOND = '* * * * * *'

const workshop = workshopForEach()
let logged: string[]
let schedule: Schedule
beforeEach(async () => {
  // The first heartbeat makes yesterday the first day; without one since then, it would wait.
  await workshop.records.alive(dayStart(YESTERDAY), dayStart(YESTERDAY))
  await workshop.records.alive(Date.now(), Date.now())
  logged = []
})
afterEach(async () => {
  await schedule.stop()
})

function start(
  expression: string | undefined,
  encoding: 'done' | 'busy' = 'done',
  watchMs?: number,
  env: Record<string, string> = {},
): void {
  const logAt = (level: string) => (_fields: object, message: string) => {
    logged.push(`${level} ${message}`)
  }
  schedule = startSchedule(
    {
      isWitnessed: false,
      newestFirst: false,
      expression,
      environment: childEnvironment({
        DATA_DIR: workshop.dir,
        FFMPEG_PATH: standInFfmpeg(join(workshop.dir, 'bin'), encoding),
        ...env,
      }),
      log: { info: logAt('info'), warn: logAt('warn'), error: logAt('error') },
    },
    watchMs,
  )
}

inFull('the schedule archives the missing days at the start', async () => {
  start(RARELY)
  await until(() => logged.length > 0)
  expect(logged).toEqual([`info snapshot of ${YESTERDAY} published`])
  expect(await new ArchiveReader(folderPlace(workshop.archiveDir)).days()).toEqual([YESTERDAY])
})

inFull('the run at the start asks the witnesses, and writes the checksums', async () => {
  const pem = testKey(1).export({ type: 'pkcs8', format: 'pem' })
  writeFileSync(join(workshop.dir, 'signing.key'), pem)
  const witness = await startWitness('w.example', 2, vkeyOf(1))
  witness.now = Math.floor(Date.now() / 1000)
  const policy = join(workshop.dir, 'policy')
  writeFileSync(policy, `witness w ${witness.vkey} ${witness.url}\nquorum w\n`)
  start(RARELY, 'done', undefined, { WITNESS_POLICY: policy, LOG_ORIGIN: ORIGIN })
  // The last file that a run writes.
  await until(() => existsSync(join(workshop.archiveDir, 'SHA256SUMS')))
  await until(() => logged.length > 1)
  await witness.close()
  expect(logged).toEqual([
    `info snapshot of ${YESTERDAY} published`,
    expect.stringMatching(/^info witness w: signed at /),
  ])
  const read = (name: string) => readFileSync(join(workshop.archiveDir, name), 'utf8')
  expect(read('checkpoint')).toMatch(/^— w\.example /m)
  expect(read('SHA256SUMS')).toContain(`${YESTERDAY}.json`)
})

inFull('a run has a lower priority than the server', async () => {
  schedule = { nextRun: () => null, stop: async () => {} }
  const run = startRun(['--help'], childEnvironment())
  const { PRIORITY_BELOW_NORMAL } = constants.priority
  expect(getPriority(run.pid)).toBe(Math.max(PRIORITY_BELOW_NORMAL, getPriority()))
  await once(run, 'exit')
})

inFull(
  'the schedule runs on time, and logs no error while another pipeline is running',
  async () => {
    await ensureArchiveFolder(workshop.database, workshop.archiveDir)
    const release = lockArchive(workshop.archiveDir)
    start(EVERY_SECOND)
    await until(() => logged.length >= 2)
    release()
    expect(new Set(logged)).toEqual(
      new Set([`info snapshots: snapshot: ${workshop.archiveDir}: another pipeline is running`]),
    )
  },
)

inFull('a run starts soon after the clock jumps over a scheduled time', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    await ensureArchiveFolder(workshop.database, workshop.archiveDir)
    const release = lockArchive(workshop.archiveDir)
    start(RARELY, 'done', 10)
    await until(() => logged.length === 1)
    vi.setSystemTime(Date.now() + 400 * 86_400_000)
    await until(() => logged.length === 2)
    release()
  } finally {
    vi.useRealTimers()
  }
})

it('no run starts when the schedule is off', async () => {
  start(undefined)
  // stop() would wait for a run and log its outcome.
  await schedule.stop()
  expect(existsSync(workshop.archiveDir)).toBe(false)
  expect(logged).toEqual([])
})

it('the schedule warns of a missing archive, and does not create it again', async () => {
  await ensureArchiveFolder(workshop.database, workshop.archiveDir)
  renameSync(workshop.archiveDir, `${workshop.archiveDir}.away`)
  start(RARELY)
  await until(() => logged.length > 0)
  expect(logged).toEqual([expect.stringMatching(/^warn .*the archive was here once/)])
  expect(existsSync(workshop.archiveDir)).toBe(false)
})

inFull('a stop ends a run in progress, and the next start completes the day', async () => {
  start(RARELY, 'busy')
  await until(() => isEncoding(workshop))
  await schedule.stop()
  expect(logged).toEqual([expect.stringContaining('stopped by SIGTERM')])
  expect(await new ArchiveReader(folderPlace(workshop.archiveDir)).days()).toEqual([])
  start(RARELY)
  await until(() => logged.length > 1)
  expect(await new ArchiveReader(folderPlace(workshop.archiveDir)).days()).toEqual([YESTERDAY])
})
