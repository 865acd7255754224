// Tests that publishing several days at once gives the same archive as one by one, despite failures and aborts.
// Rules: WRITING.md 1.1; COMMANDS.md 2.4-2.5, 7.1.
import { mkdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { snapshotBytes } from '../../../archive/format/snapshot.ts'
import type { DayOutcome, Run, RunReport, RunTools, Stage } from '../../../pipeline/run/session.ts'
import { publishDays, publishNewestFirst } from '../../../pipeline/sealing/backfill.ts'
import { inFull } from '../../support/runs.ts'
import { archiveDay, openWorkshop, UNHEARD, verify, workshopForEach } from '../workshop.ts'

const DAYS = ['2026-11-15', '2026-11-16', '2026-11-17']

const workshop = workshopForEach()

type Changes = Partial<Run & Pick<RunReport, 'progress'> & Pick<RunTools, 'concurrency'>>

/** Publishes days. @returns their outcomes, and the stages in the order in which they began */
async function publishAll(
  { progress, concurrency = 2, ...changes }: Changes = {},
  days = DAYS,
  run = publishDays,
) {
  const stages: string[] = []
  const noted = (day: string, stage: Stage) => void stages.push(`${stage} ${day}`)
  const report = { ...UNHEARD, progress: progress ?? noted }
  const pipeline = await workshop.pipeline({ concurrency }, { report, ...changes })
  const outcomes: DayOutcome[] = []
  await run(pipeline, days, (outcome) => outcomes.push(outcome))
  return { stages, outcomes, pipeline }
}

const statuses = (outcomes: DayOutcome[]) => outcomes.map(({ day, status }) => `${day} ${status}`)

async function snapshots(pipeline: Run, days: string[]): Promise<string[]> {
  const read = await Promise.all(days.map((day) => pipeline.archive.reader.snapshot(day)))
  return read.map((file) => Buffer.from(snapshotBytes(file!.snapshot)).toString())
}

inFull('days are sealed in order while the next ones are rendered', async () => {
  const { stages, outcomes } = await publishAll()
  expect(statuses(outcomes)).toEqual(DAYS.map((day) => `${day} published`))
  expect(stages.filter((stage) => stage.startsWith('seal'))).toEqual(
    DAYS.map((day) => `seal ${day}`),
  )
  expect(stages.indexOf(`sound ${DAYS[1]}`)).toBeLessThan(stages.indexOf(`seal ${DAYS[0]}`))
  expect(stages.indexOf(`snapshot ${DAYS[2]}`)).toBeGreaterThan(stages.indexOf(`seal ${DAYS[0]}`))
  expect(await verify(workshop.archiveDir)).toMatchObject({ ok: true, findings: [] })
})

test('days published together have the same snapshots as days published one by one', async () => {
  const days = DAYS.slice(0, 2)
  const { pipeline } = await publishAll({}, days)
  const together = await snapshots(pipeline, days)
  const single = await (await openWorkshop()).pipeline()
  for (const day of days) await archiveDay(single, day)
  expect(together).toEqual(await snapshots(single, days))
})

test('when a day fails, the next day names the day before the failed one', async () => {
  mkdirSync(workshop.archiveDir)
  let failures = 0
  const progress = (day: string, stage: Stage) => {
    if (day !== DAYS[1] || stage !== 'seal') return
    failures += 1
    throw new Error('the disk is full')
  }
  const { outcomes, pipeline } = await publishAll({ progress, concurrency: 3 })
  expect(failures).toBe(1)
  expect(outcomes.map(({ day, status, message }) => [day, status, message])).toEqual([
    [DAYS[0], 'published', 'no film: no ffmpeg was found'],
    [DAYS[1], 'failed', 'the disk is full'],
    [DAYS[2], 'published', 'no film: no ffmpeg was found'],
  ])
  expect((await pipeline.archive.reader.snapshot(DAYS[2]!))?.snapshot.previous?.day).toBe(DAYS[0])
  expect((await publishAll({}, [DAYS[1]!])).outcomes).toMatchObject([{ status: 'published' }])
  expect(await verify(workshop.archiveDir)).toMatchObject({ ok: true, findings: [] })
})

inFull('an abort leaves whole days, and snapshots that the next run continues from', async () => {
  const days = DAYS.slice(0, 2)
  const controller = new AbortController()
  const progress = (day: string, stage: Stage) => {
    if (day === days[1] && stage === 'film') controller.abort(new Error('stopped'))
  }
  await expect(publishAll({ progress, signal: controller.signal }, days)).rejects.toThrow('stopped')
  const { reader } = (await workshop.pipeline()).archive
  const fixed = await reader.begunDays()
  expect(fixed.length).toBeGreaterThan(0)
  workshop.clock.now += 3_600_000
  const { pipeline } = await publishAll({}, days)
  for (const day of fixed)
    expect((await pipeline.archive.reader.snapshot(day))?.snapshot.generated_at).toBe(
      '2026-11-20T00:05:00.000Z',
    )
  expect(await verify(workshop.archiveDir)).toMatchObject({ ok: true, findings: [] })
})

test('an abort while days are restarted after a failed one waits for what they render', async () => {
  const [, second, third] = DAYS
  const controller = new AbortController()
  const { archive } = await workshop.pipeline()
  const { writer } = archive
  const fixedSnapshot = writer.fixedSnapshot.bind(writer)
  writer.fixedSnapshot = async (day) => {
    if (isRestarting && day === third) controller.abort(new Error('stopped'))
    controller.signal.throwIfAborted()
    return fixedSnapshot(day)
  }
  let isRestarting = false
  const rendered: string[] = []
  const progress = (day: string, stage: Stage) => {
    if (stage === 'film') rendered.push(day)
    if (stage !== 'sound' || isRestarting) return
    isRestarting = day === third
    throw new Error('the disk is full')
  }
  const changes = { progress, signal: controller.signal, concurrency: 3 }
  const run = publishAll({ ...changes, archive })
  await expect(run).rejects.toThrow('stopped')
  expect(rendered).toEqual([second])
})

test('newest first, all snapshots are fixed before the newest day is published', async () => {
  const days = DAYS.slice(1)
  const newestFirst = days.toReversed()
  const { stages, outcomes, pipeline } = await publishAll({}, days, publishNewestFirst)
  expect(statuses(outcomes)).toEqual(newestFirst.map((day) => `${day} published`))
  expect(stages.slice(0, days.length)).toEqual(days.map((day) => `snapshot ${day}`))
  expect(pipeline.log.entries.map(({ day }) => day)).toEqual(newestFirst)
  expect(await verify(workshop.archiveDir)).toMatchObject({ ok: true, findings: [] })
})

inFull('a run in ascending order completes a run that failed newest first', async () => {
  mkdirSync(workshop.archiveDir)
  const progress = (day: string, stage: Stage) => {
    if (day === DAYS[1] && stage === 'picture') throw new Error('the disk is full')
  }
  const { outcomes } = await publishAll({ progress }, DAYS, publishNewestFirst)
  expect(statuses(outcomes)).toEqual([
    `${DAYS[2]} published`,
    `${DAYS[1]} failed`,
    `${DAYS[0]} published`,
  ])
  expect(statuses((await publishAll()).outcomes)).toEqual([
    `${DAYS[0]} present`,
    `${DAYS[1]} published`,
    `${DAYS[2]} present`,
  ])
  expect(await verify(workshop.archiveDir)).toMatchObject({ ok: true, findings: [] })
})
