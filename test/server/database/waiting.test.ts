// Tests the database while another process holds the write lock, and on a full disk.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Database } from '../../../server/database/database.ts'
import { isUnavailable } from '../../../server/database/errors.ts'
import { openDatabase } from '../../../server/database/open.ts'
import { nextId } from '../../../server/database/records/sequences.ts'
import { temporaryFolder } from '../../support/release.ts'
import { clockAt, type SetClock } from '../../support/service.ts'
import { elapse } from '../../support/time.ts'

let dir: string
let file: string
let database: Database
/** Stands still, so that a writer waits until the test lets time pass. */
let clock: SetClock
beforeEach(async () => {
  dir = temporaryFolder()
  file = join(dir, 'daysignal.sqlite')
  clock = clockAt('2026-11-19T10:00:00Z')
  database = await openDatabase(file, { clock, create: true })
})
afterEach(async () => {
  await database.close()
})

/** Takes the write lock as another process would. @returns a function that releases it */
function lock(): () => void {
  const other = new DatabaseSync(file)
  other.exec('begin immediate')
  return () => {
    other.exec('commit')
    other.close()
  }
}

const readOnce = () => database.db.selectFrom('sequences').selectAll().execute()

test('writers that wait for the lock run in order of arrival', async () => {
  const release = lock()
  const writes = Array.from({ length: 50 }, () => database.write((tx) => nextId(tx, 'message')))
  await elapse(500, 'each writer finds the lock taken, some of them several times')
  release()
  const ids = await Promise.all(writes)
  expect(ids).toEqual(Array.from({ length: 50 }, (_, i) => BigInt(i + 1)))
})

test('reads continue while writers wait', async () => {
  const release = lock()
  const writes = Array.from({ length: 20 }, () => database.write((tx) => nextId(tx, 'message')))
  for (let i = 0; i < 20; i++) {
    expect((await readOnce()).length).toBeGreaterThan(0)
    await elapse(20, 'the reads are spread over several attempts of the writers')
  }
  release()
  await Promise.all(writes)
})

test('a writer that waits for more than 5 s fails with an unavailable database', async () => {
  const release = lock()
  let failure: unknown
  const write = database
    .write((tx) => nextId(tx, 'message'))
    .catch((error) => {
      failure = error
    })
  clock.pass(5_000)
  await elapse(50, 'the writer makes several attempts')
  expect(failure).toBeUndefined()
  clock.pass(1)
  await write
  expect(isUnavailable(failure)).toBe(true)
  release()
  expect(await database.write((tx) => nextId(tx, 'message'))).toBe(1n)
})

test('a full disk makes the database unavailable until there is space again', async () => {
  // SQLite's own page limit has the same result code as a full disk.
  const limit = (pages: number) =>
    database.write((tx) => sql`pragma max_page_count = ${sql.lit(pages)}`.execute(tx))
  const fill = () =>
    database.write(async (tx) => {
      for (let i = 0; i < 20; i++)
        await sql`insert into settings values (${`filler ${i}`}, hex(randomblob(20000)))`.execute(
          tx,
        )
    })
  await limit(1)
  const failure = await fill().catch((error) => error)
  expect(isUnavailable(failure)).toBe(true)
  expect((await readOnce()).length).toBeGreaterThan(0)
  await limit(1_000_000)
  await fill()
})
