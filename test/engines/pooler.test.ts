// The service behind PgBouncer in transaction mode, where each transaction may use a different connection.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { messagesAfter } from '../../server/board/queries.ts'
import type { Database, Queryable } from '../../server/database/database.ts'
import { openDatabase } from '../../server/database/open.ts'
import { system } from '../../server/system/system.ts'
import { databaseIn, openExisting } from '../support/database.ts'
import { operateOn } from '../support/moving.ts'
import { startPooler } from '../support/pgbouncer.ts'
import { startCluster, statement } from '../support/postgres.ts'
import { findProgram } from '../support/programs.ts'
import { released, temporaryFolder } from '../support/release.ts'
import { startTestService } from '../support/service.ts'
import { Traffic } from '../support/traffic.ts'

const pgbouncer = findProgram('pgbouncer')

test.skipIf(!pgbouncer)('two servers behind a pooler miss, repeat and lose nothing', async () => {
  const cluster = await startCluster({ durable: false })
  // Fewer connections than the servers open, so that they share them.
  const port = await startPooler(pgbouncer as string, cluster.primary.port, 6)
  await statement(cluster.primary.url(), 'create database pooled')
  const url = `postgres://anybody@127.0.0.1:${port}/pooled`
  const one = await startTestService({ DATABASE_URL: url })
  const other = await startTestService({ DATABASE_URL: url })
  const traffic = await Traffic.start([one.url, other.url], { writers: 16 })
  await traffic.goOn(500)
  await traffic.expectNothingMissed()
  expect(traffic.failures).toEqual([])
  expect(await operateOn(url, ['hide', 'message', '1', '--reason', 'r'])).toMatch(/is hidden/)
  expect((await other.client.get('/messages/1.json')).status).toBe(404)
  expect([...one.complaints, ...other.complaints]).toEqual([])
})

/** Timeouts for a statement, a lock and an idle transaction. */
const SERVICE = ['4s', '3s', '4s']
const COMMAND = ['10min', '10s', '1min']
/** Those of the test's database, for clients that set none. */
const OWN = ['7s', '0', '0']

async function timeoutsIn(db: Queryable): Promise<string[]> {
  const names = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']
  const settings = names.map((name) => sql`current_setting(${name})`)
  const { rows } = await sql<{
    values: string[]
  }>`select array[${sql.join(settings)}] as values`.execute(db)
  return (rows[0] as { values: string[] }).values
}

const timeoutsOf = async (database: Database) => ({
  writes: await database.write(timeoutsIn),
  reads: await database.read(timeoutsIn),
  'single statements': await timeoutsIn(database.db),
})

/** Creates a database with timeouts of its own. @returns its URL */
async function databaseWithTimeouts(): Promise<URL> {
  const url = new URL(await databaseIn(temporaryFolder()))
  const name = url.pathname.slice(1)
  await statement(url.href, `alter database ${name} set statement_timeout = '${OWN[0]}'`)
  return url
}

/** The same through a pooler with one connection. */
async function pooled(settings = ''): Promise<URL> {
  const url = await databaseWithTimeouts()
  url.port = String(await startPooler(pgbouncer as string, Number(url.port), 1, settings))
  return url
}

/** Opens a database as the service, which alone logs its hosts, and as a command. */
async function openBoth(url: string): Promise<Record<'service' | 'command', Database>> {
  const log = { warn() {}, error() {} }
  const service = await openDatabase(url, { clock: system.clock, create: true, log })
  released(service.close)
  return { service, command: await openExisting(url) }
}

test('on direct connections, every statement has the timeouts of its program', async () => {
  const { service, command } = await openBoth((await databaseWithTimeouts()).href)
  const all = (timeouts: string[]) => ({
    writes: timeouts,
    reads: timeouts,
    'single statements': timeouts,
  })
  expect(await timeoutsOf(service)).toEqual(all(SERVICE))
  expect(await timeoutsOf(command)).toEqual(all(COMMAND))
})

test.skipIf(!pgbouncer).each(['', 'server_reset_query_always = 1'])(
  'a service and a command on one pooled connection leave it unchanged, and keep their own timeouts: %j',
  async (settings) => {
    const { service, command } = await openBoth((await pooled(settings)).href)
    for (const _ of [1, 2]) {
      const shared = { 'single statements': OWN }
      expect(await timeoutsOf(service)).toEqual({ writes: SERVICE, reads: SERVICE, ...shared })
      expect(await timeoutsOf(command)).toEqual({ writes: COMMAND, reads: COMMAND, ...shared })
    }
  },
)

/** Reads a page twice. @returns how many statements the server keeps for the connection that was used */
async function preparedAfterReads({ db }: Database): Promise<number> {
  for (const _ of [1, 2]) await messagesAfter(db, { after: 0n, limit: 1 })
  const kept = sql<{ count: bigint }>`select count(*) as count from pg_prepared_statements
    where statement like ${'%from "messages"%'}`
  return Number((await kept.execute(db)).rows[0]?.count)
}

test('the server prepares a read once on a direct connection', async () => {
  const { service } = await openBoth((await databaseWithTimeouts()).href)
  expect(await preparedAfterReads(service)).toBe(1)
})

test.skipIf(!pgbouncer)('behind a pooler, the server prepares no read', async () => {
  const { service } = await openBoth((await pooled()).href)
  expect(await preparedAfterReads(service)).toBe(0)
})
