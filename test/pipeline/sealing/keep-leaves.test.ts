// A run writes the leaves of a day before it seals the day, whenever it is killed, and a repair restores them.
// Rules: FORMAT.md 22.1-22.2; WRITING.md 1.3-1.5, 2.3, 2.5.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { dayStart } from '../../../archive/format/calendar.ts'
import { parseLeaves } from '../../../archive/format/leaves.ts'
import { leavesKey, manifestKey, snapshotKey } from '../../../archive/format/paths.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import type { Place } from '../../../archive/place/place.ts'
import { ArchiveWriter } from '../../../archive/writing/writer.ts'
import { repairDays } from '../../../pipeline/repair/repair.ts'
import type { DayOutcome, Run } from '../../../pipeline/run/session.ts'
import { fixDay } from '../../../pipeline/sealing/fix-snapshot.ts'
import { faultsIn } from '../../archive/findings.ts'
import { type KillSwitch, killAtEveryStep, PLACE_WRITES } from '../../support/kill-switch.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { temporaryFolder } from '../../support/release.ts'
import { archiveDay, verify, withoutLog, workshopForEach } from '../workshop.ts'

const HOUR = 3_600_000
const DAY = '2026-11-18'
const NEXT = '2026-11-19'

const workshop = workshopForEach()
let garden: bigint
beforeEach(async () => {
  garden = await workshop.records.directory('garden', dayStart(DAY))
})

/** Publishes messages, of which the last is hidden. */
async function post(day: string, count: number): Promise<void> {
  for (let i = 1; i <= count; i += 1)
    await workshop.records.message(
      garden,
      dayStart(day) + i * HOUR,
      `${day} ${i}`,
      i < count ? 1 : 0,
    )
}

const pathOf = (key: string) => join(workshop.archiveDir, key)
const leavesOf = (day: string) => readFileSync(pathOf(leavesKey(day)))

const faults = async (): Promise<string[]> => faultsIn(await verify(workshop.archiveDir))

async function repair(pipeline: Run, day: string, copy?: Place): Promise<DayOutcome> {
  const outcomes: DayOutcome[] = []
  await repairDays(pipeline, [day], (outcome) => outcomes.push(outcome), copy)
  return outcomes[0] as DayOutcome
}

const editMessage = () =>
  workshop.database.write((tx) =>
    tx
      .updateTable('messages')
      .set({ body_hash: '1'.repeat(64) })
      .where('id', '=', 3n)
      .execute(),
  )

/** Posts messages and fixes their day. */
async function fixed(): Promise<Run> {
  await post(DAY, 3)
  const pipeline = await workshop.pipeline()
  await fixDay(pipeline, DAY)
  return pipeline
}

describe('a run', () => {
  test('a day has the leaves of all its messages, hidden ones too', async () => {
    await post(DAY, 4)
    await archiveDay(await workshop.pipeline(), DAY)
    expect(parseLeaves(leavesOf(DAY)).count).toBe(4)
    expect(await faults()).toEqual([])
  })

  test('a day without messages has no leaves', async () => {
    await archiveDay(await workshop.pipeline(), DAY)
    expect(existsSync(pathOf(leavesKey(DAY)))).toBe(false)
    expect(await faults()).toEqual([])
  })

  test('a run that is killed at any write leaves no day without leaves, and the next one completes it', async () => {
    await post(DAY, 3)
    const whole = withoutLog(await workshop.pipeline())
    const work = async (kill: KillSwitch) => {
      rmSync(workshop.archiveDir, { recursive: true })
      mkdirSync(workshop.archiveDir)
      const place = kill.over(whole.archive.place, PLACE_WRITES)
      const writer = new ArchiveWriter(place, { isShared: false })
      await archiveDay({ ...whole, archive: { ...whole.archive, place, writer } }, DAY)
    }
    const kills = await killAtEveryStep(work, async (label) => {
      for (const key of [manifestKey(DAY), snapshotKey(DAY)])
        if (existsSync(pathOf(key))) expect(existsSync(pathOf(leavesKey(DAY))), label).toBe(true)
      const next = withoutLog(await workshop.pipeline())
      if ((await next.archive.reader.days()).length === 0) await archiveDay(next, DAY)
      expect(parseLeaves(leavesOf(DAY)).count, label).toBe(3)
      expect(await faults(), label).toEqual([])
    })
    expect(kills).toBeGreaterThan(4)
  })

  test('leaves that are lost before the seal are taken from the database again', async () => {
    const pipeline = await fixed()
    const leaves = leavesOf(DAY)
    rmSync(pathOf(leavesKey(DAY)))
    await archiveDay(pipeline, DAY)
    expect(leavesOf(DAY)).toEqual(leaves)
    expect(await faults()).toEqual([])
  })

  test('a day whose leaves are lost is not sealed while the database has other messages', async () => {
    const pipeline = await fixed()
    await editMessage()
    rmSync(pathOf(leavesKey(DAY)))
    await expect(archiveDay(pipeline, DAY)).rejects.toThrow(
      `${leavesKey(DAY)}: is missing, and the database has other messages now than ${snapshotKey(DAY)} states; remove the latter`,
    )
    rmSync(pathOf(snapshotKey(DAY)))
    await archiveDay(pipeline, DAY)
    expect(await faults()).toEqual([])
  })

  test('a fixed day is sealed with its own leaves, even if a message was changed since', async () => {
    const pipeline = await fixed()
    await editMessage()
    await archiveDay(pipeline, DAY)
    expect(await faults()).toEqual([])
  })
})

describe('a repair', () => {
  let pipeline: Run
  let leaves: Buffer
  let copy: string
  beforeEach(async () => {
    await post(DAY, 3)
    await post(NEXT, 2)
    pipeline = await workshop.pipeline()
    await archiveDay(pipeline, DAY)
    await archiveDay(pipeline, NEXT)
    leaves = leavesOf(NEXT)
    copy = temporaryFolder()
    cpSync(workshop.archiveDir, copy, { recursive: true })
  })

  test.each([
    ['missing', () => rmSync(pathOf(leavesKey(NEXT)))],
    ['damaged', () => overwriteFile(pathOf(leavesKey(NEXT)), leaves.toString().toUpperCase())],
  ])('%s leaves are restored from the database', async (_, damage) => {
    damage()
    expect(await faults()).not.toEqual([])
    const message = `${NEXT}.leaves`
    expect(await repair(pipeline, NEXT)).toEqual({ day: NEXT, status: 'repaired', message })
    expect(leavesOf(NEXT)).toEqual(leaves)
    expect(await repair(pipeline, NEXT)).toEqual({ day: NEXT, status: 'present' })
    expect(await faults()).toEqual([])
  })

  test('leaves are restored from a copy, if the database has other messages', async () => {
    await workshop.database.write((tx) => tx.deleteFrom('messages').execute())
    rmSync(pathOf(leavesKey(NEXT)))
    const failed = await repair(pipeline, NEXT)
    expect(failed).toMatchObject({ status: 'failed' })
    expect(failed.message).toBe(
      `${NEXT}.leaves: the database has other messages; restore it with --repair --from PLACE`,
    )
    expect(await repair(pipeline, NEXT, folderPlace(copy))).toEqual({
      day: NEXT,
      status: 'repaired',
      message: `${NEXT}.leaves`,
    })
    expect(leavesOf(NEXT)).toEqual(leaves)
  })

  test('leaves of a copy that are not those of the day are not taken', async () => {
    rmSync(join(copy, leavesKey(NEXT)))
    writeFileSync(join(copy, leavesKey(NEXT)), leavesOf(DAY).subarray(0, 130))
    rmSync(pathOf(leavesKey(NEXT)))
    expect(await repair(pipeline, NEXT, folderPlace(copy))).toEqual({
      day: NEXT,
      status: 'repaired',
      message: `${NEXT}.leaves; ${leavesKey(NEXT)}: has another root than the records of the day`,
    })
    expect(leavesOf(NEXT)).toEqual(leaves)
  })
})
