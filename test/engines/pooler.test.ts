// The service behind PgBouncer in transaction mode, where each transaction may use a different connection.
import { expect, test } from 'vitest'
import { expectNothingMissed } from '../server/nothing-missed.ts'
import { operateOn } from '../support/moving.ts'
import { startPooler } from '../support/pgbouncer.ts'
import { type Cluster, startCluster, statement } from '../support/postgres.ts'
import { findProgram } from '../support/programs.ts'
import { startTestService } from '../support/service.ts'
import { traffic } from '../support/traffic.ts'

const pgbouncer = findProgram('pgbouncer')

test.skipIf(!pgbouncer)(
  'two servers behind a pooler in transaction mode miss, repeat and lose nothing',
  async () => {
    const cluster: Cluster = await startCluster({ durable: false })
    // Fewer connections than the servers open, so that they share them.
    const pooler = await startPooler(pgbouncer as string, cluster.primary.port, 6)
    await statement(cluster.primary.url(), 'create database pooled')
    const url = `postgres://anybody@127.0.0.1:${pooler.port}/pooled`
    const one = await startTestService({ DATABASE_URL: url })
    const other = await startTestService({ DATABASE_URL: url })
    expectNothingMissed(await traffic([one.url, other.url], 16, 4_000))
    expect(await operateOn(url, ['hide', 'message', '1', '--reason', 'r'])).toMatch(/is hidden/)
    expect((await other.client.get('/messages/1.json')).status).toBe(404)
    expect([...one.complaints, ...other.complaints]).toEqual([])
    await one.stop()
    await other.stop()
    await pooler.stop()
    await cluster.stop()
  },
)
