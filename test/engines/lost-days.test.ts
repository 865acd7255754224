// A promoted replica that lacks messages of a sealed day: servers notice it in the first transaction on the new primary,
// and continue after the ids that the day states.
// Rules: API.md 9.14.
import { beforeEach, expect, test } from 'vitest'
import { type Cluster, type Replica, startCluster, statement } from '../support/postgres.ts'
import { sealDays } from '../support/sealing.ts'
import { clockAt, startTestService } from '../support/service.ts'
import { until } from '../support/time.ts'
import { urlAt } from './board.ts'

const DATABASE = 'board'
const [DAY, NEXT] = ['2026-11-17', '2026-11-18'] as const

let cluster: Cluster
let replica: Replica
beforeEach(async () => {
  cluster = await startCluster({ durable: false })
  await statement(cluster.primary.url(), `create database ${DATABASE}`)
  replica = await cluster.replicate()
})

/** Waits until the replica has replayed what the primary has written. */
async function caughtUp(): Promise<void> {
  const at = await statement(cluster.primary.url(), 'select pg_current_wal_lsn()')
  const replayed = `select pg_last_wal_replay_lsn() >= '${at}'`
  await until(async () => (await statement(replica.url(), replayed)) === 't')
}

test('after a promotion that loses messages of a sealed day, none of their ids is given again', async () => {
  const { primary } = cluster
  const DATABASE_URL = urlAt(DATABASE, primary.port, replica.port)
  const clock = clockAt(`${DAY}T08:00:00Z`)
  const service = await startTestService({ DATABASE_URL }, clock)
  const { client, dataDir, publish } = service
  await publish.directory('lab')
  await publish.message('lab', 'kept')
  await caughtUp()
  await statement(replica.url(), "alter system set primary_conninfo = ''")
  await statement(replica.url(), 'select pg_reload_conf()')
  await until(
    async () =>
      (await statement(primary.url(), 'select count(*) from pg_stat_replication')) === '0',
  )
  for (let i = 0; i < 3; i++) await publish.message('lab', `lost ${i}`)
  clock.passTo(`${NEXT}T08:00:00Z`)
  await sealDays(dataDir, [DAY], clock.now(), { DATABASE_URL })
  await primary.stop('SIGKILL')
  await replica.promote()

  const ids: bigint[] = []
  await until(async () => {
    const { status, json, text } = await client.post('/api/v1/messages', {
      directory: 'lab',
      body: 'new',
    })
    expect([201, 503], text).toContain(status)
    if (status === 201) ids.push((json as { message_id: bigint }).message_id)
    return ids.length > 1
  }, 60_000)
  expect(ids).toEqual([5n, 6n])
  expect(service.complaints.join('\n')).toContain(`messages 2 to 4, stated by ${DAY},`)
  const acts = await statement(replica.url(DATABASE), 'select act, target from moderation_log')
  expect(acts).toBe('restored|messages 2 to 4')
})
