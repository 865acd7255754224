// Tests the demo's month: plausible, deterministic, and stored as its days describe.
// Rules: COMMANDS.md 7.1.
import { expect, test } from 'vitest'
import type { Snapshot } from '../../../archive/format/snapshot.ts'
import { takeSnapshot } from '../../../pipeline/days/snapshot.ts'
import { demoEnvironment, demoMonth, demoToday, levelAt } from '../../../server/demo/month.ts'
import { seedDemo } from '../../../server/demo/seed.ts'
import { system } from '../../../server/system/system.ts'
import { openDatabaseIn } from '../../support/database.ts'
import { readDocument } from '../../support/documents.ts'
import { temporaryFolder } from '../../support/release.ts'

const NOW = Date.parse('2026-11-20T08:00:00Z')
const DAYS = demoMonth()
/** The thirty days before the day of NOW. */
const DATES = DAYS.map((_, i) =>
  `${new Date(NOW - (DAYS.length - i) * 864e5).toISOString()}`.slice(0, 10),
)
const folder = temporaryFolder()
const snapshots: Snapshot[] = []
const database = await openDatabaseIn(folder)
await seedDemo(database, DAYS, demoToday(), { now: NOW, randomHex: system.randomHex })
for (const day of DATES) snapshots.push((await takeSnapshot(database, day, null, NOW)).snapshot)

test('the demo month is the same every time', () => {
  expect(demoMonth()).toEqual(DAYS)
  expect(DAYS).toHaveLength(30)
})

test('the river has its level of each noon and does not jump at midnight', () => {
  expect([levelAt(10, 720), levelAt(11, 720), levelAt(12, 720)]).toEqual([131, 187, 163])
  const steps = DAYS.map((_, i) => Math.abs(levelAt(i + 2, 0) - levelAt(i + 1, 24 * 60 - 1)))
  expect(Math.max(...steps)).toBeLessThanOrEqual(1)
})

test('each day has the messages of its activities except the hidden one', () => {
  for (const [i, { activities }] of DAYS.entries()) {
    const posts = activities.filter((activity) => 'body' in activity).length
    const hidden = activities.filter((activity) => 'hide' in activity).length
    expect([DATES[i], snapshots[i]?.counters.messages]).toEqual([DATES[i], String(posts - hidden)])
  }
})

test('the month has quiet days, busy days, outages and every kind of contribution', () => {
  const messages = snapshots.map(({ counters }) => Number(counters.messages))
  expect(Math.max(...messages)).toBeGreaterThan(60)
  expect(new Set(messages).size).toBeGreaterThan(15)
  const conclusions = Object.groupBy(snapshots, ({ conclusion }) => conclusion)
  expect(conclusions.quiet?.map(({ day }) => day)).toEqual(['2026-11-04', '2026-11-16'])
  expect(conclusions.inconclusive?.map(({ day }) => day)).toEqual(['2026-11-01', '2026-11-18'])
  for (const counter of [
    'observations',
    'attempts',
    'corrections',
    'results',
    'reuses',
    'reviews',
  ] as const)
    expect(snapshots.filter(({ counters }) => counters[counter] !== '0').length).toBeGreaterThan(1)
})

test('the snapshot of a day with an outage states when it began and ended', () => {
  expect(snapshots.find(({ day }) => day === '2026-11-18')?.coverage).toMatchObject({
    status: 'partial',
    reasons: [
      {
        code: 'service_not_running',
        from: '2026-11-18T02:10:00.000Z',
        to: '2026-11-18T06:40:00.000Z',
      },
    ],
  })
})

test('the demo ignores the settings of a real service except HOST, PORT, FFMPEG_PATH and LOG_LEVEL', () => {
  const [, table = ''] = readDocument('server/deploy/OPERATING.md').split(/\*\*2\.[12] /)
  const names = [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  )
  const service = Object.fromEntries(names.map((name) => [name, 'of the service']))
  expect(service).toMatchObject({ BASE_URL: expect.any(String), LOG_LEVEL: expect.any(String) })
  expect(demoEnvironment({ ...service, TZ: 'UTC' }, folder)).toEqual({
    ...{ HOST: 'of the service', PORT: 'of the service' },
    ...{ LOG_ORIGIN: 'demo.localhost', OPERATOR_CONTACT: 'operator@demo.localhost' },
    ...{ FFMPEG_PATH: 'of the service', LOG_LEVEL: 'of the service' },
    ...{ DATA_DIR: folder, TZ: 'UTC' },
  })
})

test('today has the activities until now, and is observed since midnight', async () => {
  const { snapshot } = await takeSnapshot(database, '2026-11-20', null, NOW)
  const happened = demoToday().filter(({ at }) => at < '08:00')
  expect(happened.length).toBeGreaterThan(1)
  expect(snapshot).toMatchObject({
    counters: { messages: String(happened.length) },
    coverage: { observed_seconds: 8 * 3600 },
  })
})
