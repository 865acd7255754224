// Messages get salts: new ones when they are published, those of the current day when the database is updated.
// Rules: FORMAT.md 20.2; API.md 10.10.
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { dayOf } from '../../../archive/format/calendar.ts'
import type { Database } from '../../../server/database/database.ts'
import { openDatabase } from '../../../server/database/open.ts'
import { salts } from '../../../server/database/schema/migrations/0013-salts.ts'
import { system } from '../../../server/system.ts'
import { databaseIn } from '../../support/database.ts'
import { act, operated } from '../../support/operator.ts'
import { publisherOf } from '../../support/publish.ts'
import { clockAt, startTestService } from '../../support/service.ts'
import { copyOfRelease2 } from '../release-2.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp()
})

/** Opens the database of a data folder once more. */
async function open(dataDir: string): Promise<Database> {
  const address = await databaseIn(dataDir)
  const database = await openDatabase(address, { clock: system.clock, create: false })
  cleanups.push(database.close)
  return database
}

const YESTERDAY = '2026-11-19'
const TODAY = '2026-11-20'

/** A database with two messages of each day, the last one erased, whose last heartbeat was today. */
async function databaseOfTwoDays(): Promise<Database> {
  const clock = clockAt(`${YESTERDAY}T23:00:00Z`)
  const service = await startTestService({}, clock)
  cleanups.push(service.stop)
  const publish = publisherOf(service.client)
  await publish.directory('lab')
  for (let i = 0; i < 2; i++) await publish.message('lab')
  clock.passTo(`${TODAY}T00:00:00.000Z`)
  await publish.message('lab')
  const last = await publish.message('lab')
  await act(service, 'hide', 'message', last)
  await operated(service, 'erase', 'message', String(last), '--reason', 'r')
  return open(service.dataDir)
}

/** Takes the salts out of a database, as before the update, and updates it. @param now the wall clock */
async function updateAt(database: Database, now: string): Promise<void> {
  await database.write(async (tx) => {
    await sql`alter table messages drop column salt`.execute(tx)
    await sql`alter table erasures drop column is_salted`.execute(tx)
    await salts.up(tx, clockAt(now))
  })
}

/** The salts of the messages, by their day. */
async function saltsByDay({ db }: Database): Promise<Map<string, (string | null)[]>> {
  const days = new Map<string, (string | null)[]>()
  for (const { publish_at, salt } of await db
    .selectFrom('messages')
    .selectAll()
    .orderBy('id')
    .execute()) {
    const day = dayOf(Number(publish_at))
    days.set(day, [...(days.get(day) ?? []), salt])
  }
  return days
}

const SALT = /^[0-9a-f]{32}$/

test('an update gives a salt to the messages of the current day, but to no earlier and no erased one', async () => {
  const database = await databaseOfTwoDays()
  await updateAt(database, `${TODAY}T23:59:59.999Z`)
  expect(await saltsByDay(database)).toEqual(
    new Map([
      [YESTERDAY, [null, null]],
      [TODAY, [expect.stringMatching(SALT), null]],
    ]),
  )
})

test('an update by a clock that is behind takes the last known time for the present', async () => {
  const database = await databaseOfTwoDays()
  await updateAt(database, `${YESTERDAY}T12:00:00Z`)
  const known = await saltsByDay(database)
  expect(known.get(YESTERDAY)).toEqual([null, null])
  expect(known.get(TODAY)).toContainEqual(expect.stringMatching(SALT))
})

test('an update on a later day gives no salt to any message', async () => {
  const database = await databaseOfTwoDays()
  await updateAt(database, '2026-11-21T00:00:00.000Z')
  expect([...(await saltsByDay(database)).values()].flat()).toEqual([null, null, null, null])
})

test('a database that release 2 wrote is updated, and none of its messages of earlier days gets a salt', async () => {
  const release = await copyOfRelease2('transmissions')
  cleanups.push(release.remove)
  const known = await saltsByDay(await open(release.dataDir))
  expect(known.size).toBeGreaterThan(2)
  expect([...known.values()].flat().filter((salt) => salt !== null)).toEqual([])
})

test('each new message, question and contribution gets a salt of its own', async () => {
  const service = await startTestService()
  cleanups.push(service.stop)
  const publish = publisherOf(service.client)
  await publish.directory('lab')
  await Promise.all(Array.from({ length: 20 }, () => publish.message('lab')))
  const { id } = await publish.investigation('lab')
  await publish.contribution(id)
  const known = await saltsByDay(await open(service.dataDir))
  const all = [...known.values()].flat()
  expect(all.filter((salt) => SALT.test(salt ?? ''))).toHaveLength(22)
  expect(new Set(all).size).toBe(22)
})
