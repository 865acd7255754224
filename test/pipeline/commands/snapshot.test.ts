// Tests npm run snapshot as people, cron and programs use it.
// Rules: WRITING.md 1.4; COMMANDS.md 2.1, 2.5-2.6.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { dayStart, nextDay, previousDay } from '../../../archive/format/calendar.ts'
import { manifestKey, snapshotKey } from '../../../archive/format/paths.ts'
import { lockArchive } from '../../../server/data/pipeline-lock.ts'
import { lastFailure } from '../../../server/database/settings/settings.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import type { Ended } from '../../support/programs.ts'
import { temporaryFolder } from '../../support/release.ts'
import { inFull } from '../../support/runs.ts'
import { standInFfmpeg } from '../../support/stand-in-ffmpeg.ts'
import { today, until } from '../../support/time.ts'
import { isEncoding, verify, workshopForEach } from '../workshop.ts'
import { runCommand, startCommand } from './command.ts'

const TODAY = await today()
const YESTERDAY = previousDay(TODAY)
const BEFORE = previousDay(YESTERDAY)

const bin = temporaryFolder()
const FFMPEG_PATH = standInFfmpeg(bin)

const workshop = workshopForEach()
beforeEach(async () => {
  // The first heartbeat makes yesterday the first day; without one since then, it would wait.
  await workshop.records.alive(dayStart(YESTERDAY), dayStart(YESTERDAY))
  await workshop.records.alive(Date.now(), Date.now())
})

const run = (args: string[], env: Record<string, string> = {}): Promise<Ended> =>
  runCommand(args, workshop.dir, { DATA_DIR: workshop.dir, FFMPEG_PATH, ...env })
const json = ({ stdout }: Ended) => JSON.parse(stdout)
const failureKept = () => lastFailure.read(workshop.database.db)
const lines = (text: string) => text.split('\n').slice(0, -1)

describe('runs that archive nothing', () => {
  it('a usage error exits 2 with one line', async () => {
    const stderr = 'snapshot: --from and --to go together; see --help\n'
    expect(await run(['--from', YESTERDAY])).toMatchObject({ status: 2, stdout: '', stderr })
  })

  it('a run exits 1 with one line for a day that has not ended, also at the end of a range', async () => {
    const one = await run(['--day', TODAY])
    expect(one).toMatchObject({ status: 1, stdout: '' })
    expect(lines(one.stderr)).toEqual([
      `${TODAY}: the day has not ended (UTC); nothing was archived`,
    ])
    const range = await run(['--from', BEFORE, '--to', TODAY, '--json'])
    expect(range.status).toBe(1)
    expect(json(range).days).toEqual([expect.objectContaining({ day: TODAY, status: 'failed' })])
    expect(readdirSync(workshop.dir)).not.toContain('transmissions')
  })

  inFull('a run without a database exits 1 with one line, and does not create one', async () => {
    const DATA_DIR = join(workshop.dir, 'nowhere')
    const { status, stderr } = await run([], { DATA_DIR })
    expect(status).toBe(1)
    expect(lines(stderr)).toEqual([expect.stringContaining('no database here')])
    expect(readdirSync(workshop.dir)).not.toContain('nowhere')
  })

  inFull('a repair from a folder that does not exist exits 1 with one line', async () => {
    const { status, stderr } = await run(['--repair', '--from', 'nowhere'])
    expect(status).toBe(1)
    expect(lines(stderr)).toEqual([expect.stringContaining('/nowhere: does not exist')])
  })

  inFull('a run on the first day of a board has nothing to do and exits 0', async () => {
    await workshop.database.write((tx) => tx.deleteFrom('liveness').execute())
    expect(await run([])).toMatchObject({ status: 0, stderr: '' })
    await workshop.records.alive(Date.now(), Date.now())
    const stdout = expect.stringMatching(/^nothing to do in /)
    expect(await run([])).toMatchObject({ status: 0, stdout, stderr: '' })
    expect(json(await run(['--json'])).days).toEqual([])
  })

  inFull('a run exits 75 with one line while another pipeline is running', async () => {
    mkdirSync(workshop.archiveDir)
    const release = lockArchive(workshop.archiveDir)
    const { status, stdout, stderr } = await run([])
    release()
    expect({ status, stdout }).toEqual({ status: 75, stdout: '' })
    expect(lines(stderr)).toEqual([expect.stringContaining('another pipeline is running')])
  })
})

describe('runs', () => {
  inFull(
    'a run archives the missing days, the next has nothing to do, and a repair restores a deleted file',
    async () => {
      await workshop.records.directory('garden', dayStart(BEFORE))
      const first = await run([])
      expect(first).toMatchObject({ status: 0, stderr: '' })
      expect(lines(first.stdout)).toEqual([
        `${BEFORE}  published`,
        `${YESTERDAY}  published`,
        expect.stringMatching(/^2 published; \d+\.\d MB of files in /),
      ])
      expect(first.stdout).toContain(workshop.archiveDir)
      expect(await verify(workshop.archiveDir)).toMatchObject({ ok: true, findings: [] })

      expect(await run([])).toMatchObject({
        status: 0,
        stdout: `nothing to do in ${workshop.archiveDir}\n`,
      })
      const runs = [await run(['--static']), await run(['--static'])]
      expect(runs.map(({ stdout }) => stdout)).toEqual([
        `no day was missing; wrote index.html in ${workshop.archiveDir}\n`,
        `nothing to do: index.html is up to date in ${workshop.archiveDir}\n`,
      ])
      expect(json(await run(['--json']))).toEqual({ days: [] })
      const range = await run(['--from', BEFORE, '--to', YESTERDAY, '--json'])
      const present = [BEFORE, YESTERDAY].map((day) => ({ day, status: 'present' }))
      expect(json(range)).toEqual({ days: present })

      const mp4 = readdirSync(join(workshop.archiveDir, BEFORE)).find((f) => f.endsWith('.mp4'))!
      rmSync(join(workshop.archiveDir, BEFORE, mp4))
      const repaired = await run(['--repair', '--json'])
      expect(repaired.status).toBe(0)
      expect(json(repaired).days).toEqual([
        { day: BEFORE, status: 'repaired', message: 'mp4' },
        { day: YESTERDAY, status: 'present' },
      ])
      expect(await verify(workshop.archiveDir)).toMatchObject({ ok: true, findings: [] })

      renameSync(workshop.archiveDir, `${workshop.archiveDir}.away`)
      const gone = await run([])
      expect(gone.status).toBe(1)
      expect(lines(gone.stderr)).toEqual([expect.stringContaining('was here once and is missing')])
      expect(await failureKept()).toMatchObject({
        day: null,
        message: expect.stringContaining('was here once and is missing'),
      })
    },
  )

  inFull(
    'a day after the last heartbeat waits with one line and exit 0, unless it is named',
    async () => {
      const { database, records } = workshop
      await database.write((tx) => tx.deleteFrom('liveness').execute())
      await records.directory('garden', dayStart(BEFORE))
      await records.alive(dayStart(BEFORE), dayStart(BEFORE) + 60_000)
      const { status, stdout, stderr } = await run([])
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      expect(lines(stdout)).toEqual([
        `${BEFORE}  published`,
        `${YESTERDAY}  waiting  (no server has written a heartbeat on this day or later)`,
        expect.stringMatching(/^1 published, 1 waiting; /),
      ])
      const again = await run(['--json'])
      expect(again.status).toBe(0)
      expect(json(again).days).toMatchObject([{ day: YESTERDAY, status: 'waiting' }])
      expect(await failureKept()).toBeNull()
      const named = await run(['--day', YESTERDAY, '--json'])
      expect(json(named).days).toMatchObject([{ day: YESTERDAY, status: 'published' }])
    },
  )

  inFull('a run continues after a day that fails, and exits 1', async () => {
    mkdirSync(workshop.archiveDir)
    writeFileSync(join(workshop.archiveDir, BEFORE), 'in the way')
    const { status, stdout } = await run(['--from', BEFORE, '--to', YESTERDAY, '--json'])
    expect(status).toBe(1)
    expect(JSON.parse(stdout).days).toEqual([
      { day: BEFORE, status: 'failed', message: expect.stringContaining(BEFORE) },
      { day: YESTERDAY, status: 'published' },
    ])
    expect(await failureKept()).toMatchObject({
      day: BEFORE,
      message: expect.stringContaining(BEFORE),
    })
  })

  inFull('a run reads .env in its working folder, and the environment overrides it', async () => {
    writeFileSync(join(workshop.dir, '.env'), `DATA_DIR=/nowhere\nARCHIVE_DIR=/elsewhere\n`)
    const { stderr } = await runCommand([], workshop.dir)
    expect(stderr).toContain('/nowhere/daysignal.sqlite')
    expect((await run(['--day', nextDay(TODAY)])).stderr).toContain('has not ended')
  })

  inFull.each([
    ['another valid one', '"ffmpeg": "5.1.9"', '"ffmpeg": "7"', /\(manifest_not_logged\)$/],
    ['damaged', '"media"', '"medium"', /manifest\.json: /],
  ])(
    'a run over an archived day whose manifest is %s reports that day as failed, and completes',
    async (_, before, after, reason) => {
      await workshop.archive(YESTERDAY, await workshop.archive(BEFORE))
      const path = join(workshop.archiveDir, manifestKey(BEFORE))
      overwriteFile(path, readFileSync(path, 'utf8').replace(before, after))
      const ended = await run(['--from', BEFORE, '--to', YESTERDAY, '--json'])
      expect(ended.status).toBe(1)
      expect(json(ended).days).toEqual([
        { day: BEFORE, status: 'failed', message: expect.stringMatching(reason) },
        { day: YESTERDAY, status: 'present' },
      ])
      const sums = readFileSync(join(workshop.archiveDir, 'SHA256SUMS'), 'utf8')
      expect(sums).toContain(YESTERDAY)
    },
  )

  inFull.each([
    ['SIGTERM', 143, /^snapshot: stopped by SIGTERM.*\n$/],
    ['SIGKILL', 137, /^$/],
  ] as const)(
    'a run that ends by %s leaves no part of a day, and the next one completes what it was asked for',
    async (signal, expected, said) => {
      await workshop.records.directory('garden', dayStart(BEFORE))
      // A run without --day would not begin it.
      const asked = previousDay(BEFORE)
      const { child, ended } = startCommand(['--day', asked], workshop.dir, {
        DATA_DIR: workshop.dir,
        FFMPEG_PATH: standInFfmpeg(bin, 'busy'),
      })
      await until(() => isEncoding(workshop) || child.exitCode !== null)
      child.kill(signal)
      const { status, stderr } = await ended
      expect(status).toBe(expected)
      expect(stderr).toMatch(said)
      const { days, findings } = await verify(workshop.archiveDir)
      expect(days).toEqual([])
      expect(new Set(findings.map((finding) => finding.code))).toEqual(
        new Set(['no_days', 'staging_left']),
      )
      const snapshot = join(workshop.archiveDir, snapshotKey(asked))
      const fixed = readFileSync(snapshot)
      expect(await run([])).toMatchObject({ status: 0 })
      expect(readFileSync(snapshot)).toEqual(fixed)
      expect(existsSync(join(workshop.dir, '.cache', '.video'))).toBe(false)
      expect(await verify(workshop.archiveDir)).toMatchObject({ ok: true, findings: [] })
    },
  )
})
