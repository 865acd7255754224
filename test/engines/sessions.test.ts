// Which session kysely gets from a pool of PostgreSQL connections. It remembers every one that it has had.
import { expect, test } from 'vitest'
import { Hosts } from '../../server/database/postgres/hosts.ts'
import { Timelines } from '../../server/database/postgres/position.ts'
import { parsePostgresUrl } from '../../server/database/postgres/url.ts'
import { system } from '../../server/system/system.ts'
import { startCluster } from '../support/postgres.ts'
import { released } from '../support/release.ts'

const timeouts = { statement: 4_000, lock: 3_000, idle: 4_000 }

const cluster = await startCluster({ durable: false })
const hosts = await Hosts.open(parsePostgresUrl(cluster.primary.url()), {
  max: { writers: 1, readers: 1 },
  timelines: new Timelines(undefined),
  clock: system.clock,
  log: undefined,
  timeouts,
})
released(() => hosts.close())

test('a connection has one session for all its queries, and the connection after it another', async () => {
  const pool = hosts.pool('readers', timeouts)
  const first = await pool.connect()
  first.release()
  const again = await pool.connect()
  expect(again).toBe(first)
  await expect(again.query('select nothing', [])).rejects.toThrow('nothing')
  again.release(true)
  const second = await pool.connect()
  expect(second).not.toBe(first)
  expect((await second.query<{ one: number }>('select 1 as one', [])).rows).toEqual([{ one: 1n }])
  second.release()
})
