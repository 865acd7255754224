// The service after a failover, when the old primary comes back without having been demoted: no server writes to it
// again, whatever is restarted, and nothing that was acknowledged is lost.
// Rules: OPERATING.md 14.1.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { operator } from '../support/operator.ts'
import { startPooler } from '../support/pgbouncer.ts'
import {
  type Cluster,
  commitAlone,
  type Replica,
  type Server,
  startCluster,
  statement,
} from '../support/postgres.ts'
import { findProgram } from '../support/programs.ts'
import { idsOf } from '../support/publish.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { until } from '../support/time.ts'
import { boardOn, MESSAGES, post, urlAt } from './board.ts'

const DATABASE = 'board'
const pgbouncer = findProgram('pgbouncer')

let cluster: Cluster
let first: Server
let second: Replica
beforeEach(async () => {
  cluster = await startCluster({ durable: false })
  first = cluster.primary
  await statement(first.url(), `create database ${DATABASE}`)
  second = await cluster.replicate({ synchronous: true })
})

const urlOf = (...ports: number[]) => urlAt(DATABASE, ...ports)

/** Publishes a message as soon as possible. @returns its text */
async function publish(service: TestService, body: string): Promise<string> {
  await until(async () => {
    const { status, text } = await post(service, body)
    expect([200, 201, 503], text).toContain(status)
    return status !== 503
  }, 60_000)
  return body
}

/** Makes the second host the primary. The first keeps running if it runs. */
async function promote(): Promise<void> {
  await second.promote()
  // The new primary has no replica to wait for.
  await commitAlone(second)
}

/** Starts the old primary as it was, and lets it accept commits without a replica. */
async function reviveFirst(): Promise<void> {
  await first.start()
  await commitAlone(first)
}

const messagesIn = (server: Server) =>
  statement(server.url(DATABASE), 'select count(*) from messages')

/** The lines of the process log at this level that contain a text, without the summaries of an outage. */
const logged = ({ complaints }: TestService, level: number, text: string) =>
  complaints
    .map((line) => JSON.parse(line) as { level: number; msg: string })
    // The lines that count refused requests quote the reason again.
    .filter(({ msg }) => !msg.startsWith('the database is unavailable'))
    .filter((line) => line.level === level && line.msg.includes(text))

/** Writes until the server has found that only an old primary responds. Nothing is accepted. */
async function refused(service: TestService): Promise<void> {
  await until(async () => {
    const { status, code } = await post(service, 'refused')
    expect([status, code]).toEqual([503, 'storage_unavailable'])
    return logged(service, 50, 'it is an old primary').length > 0
  })
  expect(logged(service, 50, 'it is an old primary')).toHaveLength(1)
}

const timelinesOf = ({ dataDir }: TestService) => join(dataDir, 'timelines.json')

test('no server goes back to an old primary: not while the new one is down for a moment, and not after a restart', async () => {
  const one = await boardOn(urlOf(first.port, second.port))
  const other = await startTestService({ DATABASE_URL: urlOf(first.port, second.port) })
  const services = [one, other]
  const published = [await publish(one, 'before-1'), await publish(other, 'before-2')]
  await first.stop('SIGKILL')
  await promote()
  for (const [i, service] of services.entries())
    published.push(await publish(service, `promoted-${i}`))
  await reviveFirst()
  const old = await messagesIn(first)

  await second.stop()
  for (const service of services) {
    await refused(service)
    expect((await service.client.get('/readyz')).status).toBe(503)
    expect(logged(service, 50, timelinesOf(service))).toHaveLength(1)
  }
  await second.start()
  for (const [i, service] of services.entries())
    published.push(await publish(service, `again-${i}`))

  for (const [i, service] of services.entries()) {
    await service.restart()
    published.push(await publish(service, `restarted-${i}`))
  }
  await second.stop()
  await expect(other.restart()).rejects.toThrow(
    /^DATABASE_URL: .* writes on timeline 1, but timeline 2 .* remove [^\n]+timelines\.json$/,
  )
  await second.start()
  await other.restart().catch(() => other.restart())

  expect(await messagesIn(first)).toBe(old)
  await until(async () => (await one.client.get(MESSAGES)).status === 200)
  const ids = idsOf(await one.client.get(`${MESSAGES}?limit=100`))
  expect(ids).toEqual(published.map((_, i) => BigInt(i + 1)))
})

test('a server leaves a primary that still runs once another host has been promoted', async () => {
  const service = await boardOn(urlOf(first.port, second.port))
  await publish(service, 'before')
  await promote()
  await until(
    () =>
      logged(service, 40, `the database is now 127.0.0.1:${second.port}, timeline 2`).length > 0,
  )
  await publish(service, 'after')
  expect(await statement(second.url(DATABASE), 'select max(id) from messages')).toBe('2')
})

test('an operator who means the old primary removes the file that the log names', async () => {
  const service = await boardOn(urlOf(first.port, second.port))
  await first.stop('SIGKILL')
  await promote()
  await publish(service, 'promoted')
  await second.stop('SIGKILL')
  await reviveFirst()
  await refused(service)
  const command = await operator(service, ['status'], {
    env: { DATABASE_URL: service.config.database },
  })
  expect([command.code, command.err]).toEqual([1, expect.stringContaining('it is an old primary')])
  rmSync(timelinesOf(service))
  await publish(service, 'meant')
  expect(await messagesIn(first)).toBe('1')
})

test.each(pgbouncer ? ['an address', 'a pooler'] : ['an address'])(
  'behind %s that moves to the old primary, a server notices it and refuses it',
  async (kind) => {
    const proxy = await startProxy(first.port)
    const moveTo = ({ port }: Server) => {
      proxy.target = port
      proxy.cut()
    }
    // A pooler moves without closing a connection of the server.
    const port =
      kind === 'a pooler' ? await startPooler(pgbouncer as string, proxy.port, 4) : proxy.port
    const service = await boardOn(urlOf(port))
    await publish(service, 'before')
    await promote()
    moveTo(second)
    await publish(service, 'promoted')
    await commitAlone(first)
    moveTo(first)
    await refused(service)
    if (kind === 'an address')
      await expect(service.restart()).rejects.toThrow('it is an old primary')
    moveTo(second)
    if (kind === 'an address') await service.restart().catch(() => service.restart())
    await publish(service, 'back')
    expect(await messagesIn(first)).toBe('1')
    expect(await messagesIn(second)).toBe('3')
  },
)

test('another cluster is refused while the known one responds, and used with a warning when it is alone', async () => {
  const restored = await startCluster({ durable: false })
  await statement(restored.primary.url(), `create database ${DATABASE}`)
  const service = await boardOn(urlOf(first.port, second.port, restored.primary.port))
  await first.stop()
  // The known cluster still responds, with its replica.
  await until(async () => {
    expect((await post(service, 'refused')).status).toBe(503)
    return logged(service, 50, 'serves another cluster').length > 0
  })
  await second.stop()
  await service.restart()
  await service.publish.directory('lab')
  expect(logged(service, 40, 'serves another cluster')).toHaveLength(1)
  await service.restart()
  expect(logged(service, 40, 'serves another cluster')).toHaveLength(1)
})

test('a host that does not tell its timeline works as before, also when it stops telling while it is used', async () => {
  await statement(first.url(), 'create role plain login')
  await statement(first.url(), `alter database ${DATABASE} owner to plain`)
  await statement(first.url(DATABASE), 'alter schema public owner to plain')
  const service = await boardOn(urlOf(first.port).replace('postgres@', 'plain@'))
  const status = async () =>
    (await operator(service, ['status'], { env: { DATABASE_URL: service.config.database } })).out
  expect(await status()).toMatch(/timeline 1 of cluster [0-9]+/)
  expect(existsSync(timelinesOf(service))).toBe(true)
  const revoke = 'revoke execute on function pg_walfile_name(pg_lsn) from public'
  await statement(first.url(DATABASE), revoke)
  await publish(service, 'untold')
  await service.restart()
  await publish(service, 'restarted')
  expect(await status()).toMatch(/timeline unknown/)
  expect(JSON.parse(readFileSync(timelinesOf(service), 'utf8'))).toMatchObject({ timelines: {} })
  expect(logged(service, 50, '')).toEqual([])
})
