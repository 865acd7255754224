// Rate windows on PostgreSQL: the rows that every batch increments are updated in place.
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import type { Database } from '../../server/database/database.ts'
import { LIMITS, MESSAGE_LIMITS, type Quotas } from '../../server/publishing/limits.ts'
import { readWindows } from '../../server/publishing/windows.ts'
import { databaseIn, openDatabaseIn, openExisting } from '../support/database.ts'
import { temporaryFolder } from '../support/release.ts'
import { until } from '../support/time.ts'

const NOW = Date.parse('2026-11-19T08:30:00.000Z')
const QUOTAS = Object.fromEntries(Object.keys(LIMITS).map((name) => [name, 1_000])) as Quotas
const ORIGINS = 200
/** One row of each origin, and one of all origins together. */
const ROWS = 1 + ORIGINS

/** One publication per origin. */
const PUBLICATIONS = Array.from({ length: ORIGINS }, (_, i) => ({
  limits: MESSAGE_LIMITS,
  // As long as the hash of a real origin.
  origin: String(i).padEnd(64, 'x'),
}))

let dir: string
let observer: Database
beforeEach(async () => {
  dir = temporaryFolder()
  observer = await openDatabaseIn(dir)
})

async function countBatch(database: Database): Promise<void> {
  await database.write(async (tx) => {
    const windows = await readWindows(tx, PUBLICATIONS, QUOTAS, NOW)
    for (const publication of PUBLICATIONS) windows.count(publication)
    await windows.write()
  })
}

/** Reads PostgreSQL's statistics: all updates, and those whose new version stayed on the same page (HOT updates). */
async function updates(): Promise<{ all: bigint; onPage: bigint } | undefined> {
  const { rows } = await sql<{ all: bigint; onPage: bigint }>`
    select n_tup_upd as "all", n_tup_hot_upd as "onPage"
    from pg_stat_user_tables where relname = 'rate_windows'`.execute(observer.db)
  return rows[0]
}

test('incrementing a window changes no other page and no index', async () => {
  const database = await openExisting(await databaseIn(dir))
  // Inserts the rows, then updates each once. There is no third batch: its versions find room only where PostgreSQL
  // could already remove those of the first, and any older transaction prevents that, even in another test's database.
  await countBatch(database)
  await countBatch(database)
  // A session reports its statistics when it ends.
  await database.close()
  await until(async () => (await updates())?.all === BigInt(ROWS))
  expect((await updates())?.onPage).toBe(BigInt(ROWS))
})
