// verify checks the leaves of days and their deadlines: what no row of damaged.json shows.
// Rules: FORMAT.md 2.1-2.2, 12.3, 22.1-22.3, 23.3.

import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { folderPlace } from '../../../archive/place/folder.ts'
import type { Place } from '../../../archive/place/place.ts'
import type { Finding } from '../../../archive/verify/findings.ts'
import { temporaryFolder } from '../../support/release.ts'
import { type Day, makeDay, makeDayWithLeaves, writeDay } from '../days.ts'
import { verified } from '../decoding.ts'
import { findingsIn } from '../findings.ts'
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

async function checked(place: Place): Promise<Finding[]> {
  const report = await verified(place, { quick: true })
  const all = findingsIn(report)
  expect(report.ok).toBe(all.every(({ code }) => code.startsWith('ids_not_checked')))
  for (const { message } of all) expect(message).not.toContain('\n')
  return all
}

const linesOf = (findings: readonly Finding[]) =>
  findings.map(({ code, file, message }) => `${code} ${file.replace(/^\//, '')}: ${message}`)

describe('files of leaves in a folder', () => {
  test('a FIFO in place of leaves is a fault and is not read', async () => {
    rmSync(path(LEAVES))
    execFileSync('mkfifo', [path(LEAVES)])
    expect(linesOf(await checked(folderPlace(dir)))).toEqual([
      `not_a_file ${LEAVES}: is not a regular file`,
    ])
  })

  test('leaves of 2 GiB are read only as far as the day has messages', async () => {
    rmSync(path(LEAVES))
    writeFileSync(path(LEAVES), days.at(-1)?.leaves ?? '')
    truncateSync(path(LEAVES), 2 ** 31)
    const [finding] = await checked(folderPlace(dir))
    expect(finding?.code).toBe('leaves_differ')
  })

  test('a day that was begun may have leaves', async () => {
    mkdirSync(path('2026-11-06'))
    writeFileSync(path('2026-11-06/2026-11-06.leaves'), '')
    const report = await verified(dir, { quick: true })
    expect(report.findings.map(({ code }) => code)).toEqual(['staging_left'])
  })
})

/** Verifies the days with a log that has them in this order. */
async function verifyLogged(order: readonly number[]) {
  rmSync(dir, { recursive: true })
  mkdirSync(dir)
  for (const number of order.toSorted()) writeDay(dir, days[number - 1]!)
  const log = await openTestLog(dir)
  for (const number of order) await log.append([days[number - 1]!.snapshot.day])
  const report = await verified(dir, { quick: true })
  return linesOf(findingsIn(report).filter(({ code }) => code === 'overdue'))
}

const THIRD = 'overdue 2026-11-03/2026-11-03'
test.each<[string, number[], string?]>([
  ['days in ascending order are in time', [1, 2, 3, 4, 5]],
  ['so is a day that the next one overtakes', [1, 3, 2, 4, 5]],
  ['days before that of the first leaf are exempt', [5, 2, 3, 4]],
  ['so are days between which none was sealed', [4, 5]],
  [
    'a day whose leaf comes after that of a day two days later is noted',
    [1, 2, 5, 3, 4],
    `${THIRD}.json: has its leaf after that of 2026-11-05`,
  ],
  [
    'a day without a leaf is noted once a day two days later has one',
    [1, 2, 5],
    `${THIRD}.manifest.json: has no leaf, although 2026-11-05 has one`,
  ],
])('%s', async (_, order, note) => {
  expect(await verifyLogged(order)).toEqual(note === undefined ? [] : [note])
})
