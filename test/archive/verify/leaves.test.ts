// verify checks the leaves of days and the order of message ids, in a folder, at a plain file server and at a service.
// Rules: FORMAT.md 2.1-2.2, 13.4, 24.1-24.3, 25.3.
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { bucketPlace } from '../../../archive/place/bucket.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import type { Place } from '../../../archive/place/place.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import type { Finding } from '../../../archive/verify/findings.ts'
import { startFakeBucket } from '../../support/fake-bucket.ts'
import { temporaryFolder } from '../../support/release.ts'
import { runs } from '../../support/runs.ts'
import { openServed } from '../../support/served.ts'
import { type Day, makeDay, makeDayWithLeaves, writeDay } from '../days.ts'
import { filesIn, publishSigned, serveFolder } from '../mirror/signed-archive.ts'
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
const server = await publishSigned(model, days).then(() => serveFolder(dir))

beforeEach(() => {
  rmSync(dir, { recursive: true, force: true })
  cpSync(model, dir, { recursive: true })
})
afterAll(async () => {
  await server.close()
})

const bucket = await startFakeBucket()

/** Copies the archive's folder to a bucket. */
async function copyToBucket(): Promise<Place> {
  const place = await bucketPlace(bucket.location, { random: () => 1 })
  for (const key of bucket.objects.keys()) await place.remove(key)
  for (const [key, bytes] of filesIn(dir)) await place.put(key, bytes)
  return place
}

const PLACES: [string, () => Place | Promise<Place>][] = [
  ['a folder', () => folderPlace(dir)],
  ['a bucket', copyToBucket],
  ['a plain file server', () => openServed(server.url, { sleep: () => Promise.resolve() })],
]

const path = (name: string) => join(dir, name)

function change(name: string, edit: (text: string) => string): void {
  const text = readFileSync(path(name), 'latin1')
  rmSync(path(name))
  writeFileSync(path(name), edit(text), 'latin1')
}

async function findingsIn(place: Place): Promise<Finding[]> {
  const report = await verifyArchive(place, { quick: true, log: { pauseMs: 0 } })
  const all = [...report.findings, ...report.days.flatMap(({ findings }) => findings)]
  expect(report.ok).toBe(all.every(({ code }) => code.startsWith('ids_not_checked')))
  for (const { message } of all) expect(message).not.toContain('\n')
  return all
}

const linesOf = (findings: readonly Finding[]) =>
  findings.map(({ code, file, message }) => `${code} ${file.replace(/^\//, '')}: ${message}`)

/** Far more than the leaves of the days here. */
const LARGE_MIB = runs(1, 100)

const ALTERED: [string, (text: string) => string, string][] = [
  ['empty', () => '', 'has 0 of the 4 leaves of the day'],
  ['a line short', (text) => text.slice(65), 'has 3 of the 4 leaves of the day'],
  ['doubled', (text) => text + text, 'has more than the 4 leaves of the day'],
  [
    `of ${LARGE_MIB} MiB`,
    (text) => text.repeat((LARGE_MIB * 2 ** 20) / text.length),
    'has more than the 4 leaves of the day',
  ],
  [
    'in another order',
    (text) => text.slice(65) + text.slice(0, 65),
    'has another root than the records of the day',
  ],
  [
    'with another leaf',
    (text) => text.replace(/^./, (digit) => (digit === 'a' ? 'b' : 'a')),
    'has another root than the records of the day',
  ],
  [
    'in capitals',
    (text) => text.toUpperCase(),
    'line 1 is not 64 lower-case hexadecimal digits and a line feed',
  ],
  [
    'with CR LF',
    (text) => text.replaceAll('\n', '\r\n'),
    'line 1 is not 64 lower-case hexadecimal digits and a line feed',
  ],
  [
    'cut within a line',
    (text) => text.slice(0, -9),
    'line 4 is not 64 lower-case hexadecimal digits and a line feed',
  ],
  [
    'binary',
    () => '\0\u00ff'.repeat(130),
    'line 1 is not 64 lower-case hexadecimal digits and a line feed',
  ],
]

describe.each(PLACES)('leaves in %s', (_name, open) => {
  test('days with their leaves are intact', async () => {
    expect(await findingsIn(await open())).toEqual([])
  })

  test.each(ALTERED)('leaves %s are a fault of their day', async (_, edit, message) => {
    change(LEAVES, edit)
    expect(linesOf(await findingsIn(await open()))).toEqual([`leaves_differ ${LEAVES}: ${message}`])
  })

  test('a day with messages and without leaves is a fault, whatever its place', async () => {
    const lost = ['2026-11-02/2026-11-02.leaves', LEAVES]
    for (const name of lost) rmSync(path(name))
    const found = await findingsIn(await open())
    expect(found.map(({ code, file }) => `${code} ${file.replace(/^\//, '')}`)).toEqual(
      lost.map((name) => `missing ${name}`),
    )
  })
})

describe('files of leaves in a folder', () => {
  test('leaves of a day without messages do not belong to the archive', async () => {
    const stray = ['2026-11-01/2026-11-01.leaves', '2026-11-04/2026-11-04.leaves']
    for (const name of stray) writeFileSync(path(name), '')
    const found = await findingsIn(folderPlace(dir))
    expect(found.map(({ code, file }) => `${code} ${file}`)).toEqual(
      stray.map((name) => `stray ${name}`),
    )
  })

  test('a name that differs in case does not belong to the archive', async () => {
    writeFileSync(path('2026-11-05/2026-11-05.LEAVES'), readFileSync(path(LEAVES)))
    const found = await findingsIn(folderPlace(dir))
    expect(found.map(({ code }) => code)).toEqual(['stray'])
  })

  test.each([
    ['a link', () => symlinkSync(join(model, LEAVES), path(LEAVES))],
    ['a FIFO', () => execFileSync('mkfifo', [path(LEAVES)])],
    ['a folder', () => mkdirSync(path(LEAVES))],
  ])('%s in place of leaves is a fault and is not read', async (_, make) => {
    rmSync(path(LEAVES))
    make()
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

  test('ids that are missing between two days are a fault of the later day', async () => {
    const found = await verifyIds([
      [1, 7, 2],
      [2, 0, 0],
      [3, 10, 1],
    ])
    expect(found).toEqual([
      'ids_not_consecutive 2026-11-03/2026-11-03.json: begins with message 10; 2026-11-01 ends with message 8',
    ])
  })

  test('ids that are given again are a fault of the later day', async () => {
    const found = await verifyIds([
      [1, 7, 2],
      [2, 8, 2],
    ])
    expect(found).toEqual([
      'ids_reissued 2026-11-02/2026-11-02.json: begins with message 8; 2026-11-01 ends with message 8',
      'ids_not_consecutive 2026-11-02/2026-11-02.json: begins with message 8; 2026-11-01 ends with message 8',
    ])
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
