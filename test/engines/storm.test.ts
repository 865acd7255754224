// Two servers on PostgreSQL while everything fails in turn: each acknowledged message is published exactly once, and
// readers that follow cursors see all of them in order (API.md 4.5 and 5).
import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../server/database/open.ts'
import { system } from '../../server/system/system.ts'
import { clientOf } from '../support/client.ts'
import { freePort } from '../support/free-port.ts'
import { commitAlone, startCluster, statement } from '../support/postgres.ts'
import { publisherOf } from '../support/publish.ts'
import { temporaryFolder } from '../support/release.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { elapse, until } from '../support/time.ts'
import { allMessages, urlAt } from './board.ts'
import { type Crowd, startCrowd } from './crowd.ts'

/** The shortest duration of the test. */
const STORM_MS = 30_000
/** The number of messages that must be acknowledged between two faults. */
const MESSAGES_BETWEEN_FAULTS = 200
/** Long enough for a busy machine. */
const RECOVERY_TIMEOUT_MS = 120_000

const servers: ServerProcess[] = []
const dir = temporaryFolder()
const cluster = await startCluster({ durable: true })
const replica = await cluster.replicate({ synchronous: true })
const proxy = await startProxy(cluster.primary.port)
afterAll(async () => {
  for (const server of servers) await server.kill()
})

/**
 * Starts both servers.
 * @returns for each server, a function that kills it and starts it again on the same port
 */
async function startServers(): Promise<((which: number) => Promise<void>)[]> {
  const both = { DATA_DIR: dir, DATABASE_URL: urlAt('storm', proxy.port, replica.port) }
  const [one, two] = [String(await freePort()), String(await freePort())]
  const environments = [
    { ...both, PORT: one },
    { ...both, PORT: two },
  ]
  const starts = environments.map((env) => async (which: number) => {
    await servers[which]?.kill()
    servers[which] = await startServerProcess(env)
  })
  for (const [which, start] of starts.entries()) await start(which)
  return starts
}

/** Waits until the writers make progress again. */
async function recovery({ acknowledged }: Crowd): Promise<void> {
  const expected = acknowledged.size + MESSAGES_BETWEEN_FAULTS
  await until(() => acknowledged.size >= expected, RECOVERY_TIMEOUT_MS)
}

test('servers, primary and network fail in turn, and no record is missed, repeated, reordered or lost', async () => {
  await statement(cluster.primary.url(), 'create database storm')
  await (
    await openDatabase(cluster.primary.url('storm'), { clock: system.clock, create: true })
  ).close()
  await until(async () => (await statement(replica.url(), FOLLOWED)) === '1', 60_000)
  const starts = await startServers()
  const urls = servers.map(({ url }) => url)
  const client = clientOf(() => urls[0] as string)
  await publisherOf(client).directory('lab')
  const atLeast = elapse(STORM_MS, 'the storm lasts at least this long')
  const crowd = startCrowd(urls, 16, 4)
  await recovery(crowd)

  proxy.isBlack = true
  await elapse(5_000, 'the network outage lasts')
  proxy.isBlack = false
  await recovery(crowd)

  for (const [which, start] of starts.entries()) {
    await start(which)
    await recovery(crowd)
  }

  for (let i = 0; i < 5; i++) {
    const { lost } = proxy
    proxy.loseAnswer('COMMIT')
    await until(() => proxy.lost > lost)
  }
  await recovery(crowd)

  await cluster.primary.stop('SIGKILL')
  await cluster.primary.start()
  await recovery(crowd)

  await cluster.primary.stop('SIGKILL')
  await replica.promote()
  // The new primary has no replica to wait for.
  await commitAlone(replica)
  await recovery(crowd)
  await atLeast
  await crowd.finish()

  const published = await allMessages({ client })
  const ids = published.map(({ id }) => id)
  expect(ids).toEqual(ids.map((_, i) => BigInt(i + 1)))
  expect(new Map(published.map(({ id, body }) => [body, id]))).toEqual(crowd.acknowledged)
  expect(published).toHaveLength(crowd.acknowledged.size)
  for (const seen of crowd.seen) expect(seen).toEqual(ids)
}, 600_000)

const FOLLOWED = "select count(*) from pg_database where datname = 'storm'"
