// Leases: one holder among several hosts, until it releases the lease or stops renewing it.
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { keeperIn } from '../../pipeline/run/signed-log.ts'
import { lockForPipeline, PipelineBusy } from '../../server/data/pipeline-lock.ts'
import type { Database } from '../../server/database/database.ts'
import { openDatabase } from '../../server/database/open.ts'
import { system } from '../../server/system/system.ts'
import { databaseIn, openDatabaseIn, openExisting } from '../support/database.ts'
import { makeDatabase, startCluster, statement } from '../support/postgres.ts'
import { temporaryFolder } from '../support/release.ts'
import { until } from '../support/time.ts'

let dir: string
let one: Database
let other: Database
beforeEach(async () => {
  dir = temporaryFolder()
  one = await openDatabaseIn(dir)
  other = await openExisting(await databaseIn(dir))
})

const take = (database: Database) => database.takeLease?.('work') ?? Promise.resolve(null)

/** Ends the lease, as if its holder had stopped renewing it. */
const expire = () =>
  one.write((tx) => sql`update leases set ends_at = now() where name = 'work'`.execute(tx))

test('a lease has one holder, who can release it', async () => {
  const held = await take(one)
  expect(held?.fence).toBe(1n)
  expect(await take(other)).toBeNull()
  await held?.release()
  const next = await take(other)
  expect(next?.fence).toBe(2n)
  await next?.release()
})

test('only one of many simultaneous requests gets the lease', async () => {
  const taken = await Promise.all(Array.from({ length: 8 }, (_, i) => take(i % 2 ? one : other)))
  const held = taken.filter((lease) => lease !== null)
  expect(held).toHaveLength(1)
  await held[0]?.release()
})

test('a holder that stops renewing loses the lease, and cannot release the lease of the next holder', async () => {
  const lost = await take(one)
  await expire()
  const held = await take(other)
  expect(held?.fence).toBe(2n)
  await lost?.release()
  expect(await take(one)).toBeNull()
  await held?.release()
})

test('a pipeline that has lost its lease cannot replace the checkpoint that the next holder stored', async () => {
  const [lost, next] = [keeperIn(one), keeperIn(other)]
  expect(await lost.replace(null, 'first')).toBe(true)
  const known = await lost.read()
  expect(await next.replace(known, 'second')).toBe(true)
  expect(await lost.replace(known, 'by the former holder')).toBe(false)
  expect(await lost.read()).toBe('second')
})

test('only one of many pipelines that replace a checkpoint at the same time succeeds', async () => {
  const databases = Array.from({ length: 8 }, (_, i) => (i % 2 ? one : other))
  for (const [before, after] of [
    [null, 'a'],
    ['a', 'b'],
  ] as const) {
    const won = await Promise.all(
      databases.map((database) => keeperIn(database).replace(before, after)),
    )
    expect(won.filter(Boolean)).toHaveLength(1)
  }
})

test('a pipeline detects one that runs on another host, and leaves the folder unlocked', async () => {
  const config = { archive: { dir }, dataDir: dir }
  const release = await lockForPipeline(one, config)
  await release()
  const elsewhere = await one.takeLease?.(`pipeline ${dir}`)
  await expect(lockForPipeline(other, config)).rejects.toThrow(PipelineBusy)
  await elsewhere?.release()
  await (await lockForPipeline(other, config))()
})

test('a server that starts while another one migrates waits for it longer than for another lock', async () => {
  const cluster = await startCluster({ durable: false })
  const url = cluster.primary.url(await makeDatabase(cluster))
  const table =
    'leases (name text primary key, fence bigint not null, ends_at timestamptz not null)'
  await statement(url, `create table ${table}; insert into leases values ('migrations', 0, now())`)
  const lock = `select 'free' from leases where name = 'migrations' for update`
  const migrating = statement(url, `begin; ${lock}; select pg_sleep(11); commit`)
  await until(async () => (await statement(url, `${lock} skip locked`)) === '')
  let now = 0
  const clock = { ...system.clock, monotonic: () => (now += 60_000) }
  await (await openDatabase(url, { clock, create: true })).close()
  await migrating
})
