// verify checks the leaves of days and the order of message ids: what no row of damaged.json shows.
// Rules: FORMAT.md 2.1-2.2, 13.4, 24.1-24.3, 25.3.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { folderPlace } from '../../../archive/place/folder.ts'
import type { Place } from '../../../archive/place/place.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import type { Finding } from '../../../archive/verify/findings.ts'
import { temporaryFolder } from '../../support/release.ts'
import { type Day, makeDay, makeDayWithLeaves, writeDay } from '../days.ts'
import { publishSigned } from '../mirror/signed-archive.ts'
import { openTestLog } from '../signing.ts'

/** The ids of each day: 1 to 3, 4 to 5, none, 6 to 9. */
function makeDays(): Day[] {
  const without = makeDay('2026-11-01', null)
  const one = makeDayWithLeaves('2026-11-02', without, { first: 1, count: 3 })
  const two = makeDayWithLeaves('2026-11-03', one, { first: 4, count: 2 })
  const none = makeDayWithLeaves('2026-11-04', two, { first: 0, count: 0 })
  return [without, one, two, none, makeDayWithLeaves('2026-11-05', none, { first: 6, count: 4 })]
}

const days = makeDays()
const root = temporaryFolder()
const model = join(root, 'model')
const dir = join(root, 'archive')
const LEAVES = '2026-11-05/2026-11-05.leaves'
await publishSigned(model, days)

beforeEach(() => {
  rmSync(dir, { recursive: true, force: true })
  cpSync(model, dir, { recursive: true })
})

const path = (name: string) => join(dir, name)

async function findingsIn(place: Place): Promise<Finding[]> {
  const report = await verifyArchive(place, { quick: true, log: { pauseMs: 0 } })
  const all = [...report.findings, ...report.days.flatMap(({ findings }) => findings)]
  expect(report.ok).toBe(all.every(({ code }) => code.startsWith('ids_not_checked')))
  for (const { message } of all) expect(message).not.toContain('\n')
  return all
}

const linesOf = (findings: readonly Finding[]) =>
  findings.map(({ code, file, message }) => `${code} ${file.replace(/^\//, '')}: ${message}`)

test('days with their leaves are intact', async () => {
  expect(await findingsIn(folderPlace(dir))).toEqual([])
})

describe('files of leaves in a folder', () => {
  test('a FIFO in place of leaves is a fault and is not read', async () => {
    rmSync(path(LEAVES))
    execFileSync('mkfifo', [path(LEAVES)])
    expect(linesOf(await findingsIn(folderPlace(dir)))).toEqual([
      `not_a_file ${LEAVES}: is not a regular file`,
    ])
  })

  test('leaves of 2 GiB are read only as far as the day has messages', async () => {
    rmSync(path(LEAVES))
    writeFileSync(path(LEAVES), days.at(-1)?.leaves ?? '')
    truncateSync(path(LEAVES), 2 ** 31)
    const [finding] = await findingsIn(folderPlace(dir))
    expect(finding?.code).toBe('leaves_differ')
  })

  test('a day that was begun may have leaves', async () => {
    mkdirSync(path('2026-11-06'))
    writeFileSync(path('2026-11-06/2026-11-06.leaves'), '')
    const report = await verifyArchive(folderPlace(dir), { quick: true, log: { pauseMs: 0 } })
    expect(report.findings.map(({ code }) => code)).toEqual(['staging_left'])
  })
})

describe('deadlines', () => {
  /** Verifies the days with a log that has them in this order. */
  async function verifyLogged(order: readonly number[]) {
    rmSync(dir, { recursive: true })
    mkdirSync(dir)
    for (const number of order.toSorted()) writeDay(dir, days[number - 1]!)
    const log = await openTestLog(dir)
    for (const number of order) await log.append([days[number - 1]!.snapshot.day])
    const report = await verifyArchive(folderPlace(dir), { quick: true, log: { pauseMs: 0 } })
    const all = [...report.findings, ...report.days.flatMap(({ findings }) => findings)]
    return linesOf(all.filter(({ code }) => code === 'overdue'))
  }

  test('days in ascending order, and one that the next day overtakes, are in time', async () => {
    expect(await verifyLogged([1, 2, 3, 4, 5])).toEqual([])
    expect(await verifyLogged([1, 3, 2, 4, 5])).toEqual([])
  })

  test('a day whose leaf comes after that of a day two days later is noted', async () => {
    expect(await verifyLogged([1, 2, 5, 3, 4])).toEqual([
      'overdue 2026-11-03/2026-11-03.json: has its leaf after that of 2026-11-05',
    ])
  })

  test('a day without a leaf is noted once a day two days later has one', async () => {
    expect(await verifyLogged([1, 2, 5])).toEqual([
      'overdue 2026-11-03/2026-11-03.manifest.json: has no leaf, although 2026-11-05 has one',
    ])
  })

  test('days before that of the first leaf are exempt', async () => {
    expect(await verifyLogged([5, 2, 3, 4])).toEqual([])
    expect(await verifyLogged([4, 5])).toEqual([])
  })
})

describe('the order of ids', () => {
  /** Verifies days with these first ids and numbers of messages, on the days of November that are named. */
  async function verifyIds(made: [day: number, first: number, count: number][]) {
    rmSync(dir, { recursive: true })
    mkdirSync(dir)
    let previous: Day | null = null
    for (const [number, first, count] of made) {
      const name = `2026-11-0${number}`
      const day: Day = makeDayWithLeaves(name, previous, { first, count })
      writeDay(dir, day)
      previous = day
    }
    return linesOf(await findingsIn(folderPlace(dir)))
  }

  test('ids that continue over days without messages are in order', async () => {
    const found = await verifyIds([
      [1, 7, 2],
      [2, 0, 0],
      [3, 9, 1],
    ])
    expect(found).toEqual([])
  })

  test('while a day between is missing, a gap is only noted', async () => {
    const found = await verifyIds([
      [1, 7, 2],
      [3, 10, 1],
    ])
    expect(found).toEqual([
      'ids_not_checked 2026-11-03/2026-11-03.json: begins with message 10; 2026-11-01 ends with message 8; the records of a day between them are not known',
    ])
  })
})
