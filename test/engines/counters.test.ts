// A day with a counter that fails. In PostgreSQL an error aborts the whole transaction, unless a savepoint contains it.
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { takeSnapshot } from '../../pipeline/days/snapshot.ts'
import { countDay } from '../../server/data/counts.ts'
import type { Database } from '../../server/database/database.ts'
import { DatabaseUnavailable } from '../../server/database/errors.ts'
import { recordsOf } from '../pipeline/records.ts'
import { openDatabaseIn } from '../support/database.ts'
import { temporaryFolder } from '../support/release.ts'

const DAY = '2026-11-18'
const NOON = Date.parse(`${DAY}T12:00:00Z`)

let dir: string
let database: Database
beforeEach(async () => {
  dir = temporaryFolder()
  database = await openDatabaseIn(dir)
})

test('a counter query that fails does not change the other counters and the records of the day', async () => {
  const records = recordsOf(database)
  const garden = await records.directory('garden', NOON)
  const { root } = await records.investigation(garden, NOON, 2)
  await records.review(root, NOON)
  const before = await takeSnapshot(database, DAY, null, NOON)
  expect(before.failures).toEqual([])
  // Only the first query reads this column.
  await database.write((tx) =>
    sql`alter table messages rename column body_bytes to away`.execute(tx),
  )
  const { snapshot, failures } = await takeSnapshot(database, DAY, null, NOON)
  const missing = { messages: null, message_bytes: null, active_directories: null }
  expect(snapshot.counters).toEqual({ ...before.snapshot.counters, ...missing })
  expect(snapshot.counters).toMatchObject({ directories: '1', sources: '2', reviews: '1' })
  expect(snapshot.records).toEqual(before.snapshot.records)
  expect(failures).toEqual([
    { counters: Object.keys(missing), message: 'column "body_bytes" does not exist' },
  ])
})

test('counting a day fails if its connection is terminated', async () => {
  const dying = database.read(async (tx) => {
    const { rows } = await sql<{ pid: bigint }>`select pg_backend_pid() as pid`.execute(tx)
    await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(database.db)
    return countDay(tx, { from: 0, to: NOON })
  })
  await expect(dying).rejects.toThrow(DatabaseUnavailable)
})
