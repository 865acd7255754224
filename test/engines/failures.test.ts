// The service when PostgreSQL fails: lost responses, a dead primary, a wrong address.
// Rules: OPERATING.md 14.1.
import { expect, test } from 'vitest'
import { openDatabase } from '../../server/database/open.ts'
import { system } from '../../server/system/system.ts'
import { makeDatabase, startCluster, statement } from '../support/postgres.ts'
import { startTestService } from '../support/service.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { until } from '../support/time.ts'
import { allIds, boardOn, MESSAGES, post, urlAt } from './board.ts'

const cluster = await startCluster({ durable: false })

const oneTo = (last: number) => Array.from({ length: last }, (_, i) => BigInt(i + 1))

test('a batch whose COMMIT response is lost is found again, and nothing is published twice', async () => {
  const proxy = await startProxy(cluster.primary.port)
  const service = await boardOn(urlAt(await makeDatabase(cluster), proxy.port))
  for (let i = 0; i < 5; i++) {
    proxy.loseAnswer('COMMIT')
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        service.client.post(MESSAGES, { directory: 'lab', body: `${i} ${n}` }),
      ),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(201))
  }
  expect(proxy.lost).toBeGreaterThan(0)
  expect(await allIds(service)).toEqual(oneTo(50))
})

test('a transaction that is cut before its COMMIT is repeated once', async () => {
  const proxy = await startProxy(cluster.primary.port)
  const service = await boardOn(urlAt(await makeDatabase(cluster), proxy.port))
  proxy.loseAnswer('INSERT')
  expect((await post(service, 'a')).status).toBe(201)
  expect((await post(service, 'a')).status).toBe(200)
  expect(proxy.lost).toBe(1)
  expect(await allIds(service)).toEqual([1n])
})

test('several servers can start at the same time on an empty database', async () => {
  const url = cluster.primary.url(await makeDatabase(cluster))
  const databases = await Promise.all(
    [1, 2, 3].map(() => openDatabase(url, { clock: system.clock, create: true })),
  )
  for (const database of databases) expect(await database.state()).toBe('ok')
  for (const database of databases) await database.close()
})

test('paths are sorted by their bytes, whatever the locale of the database', async () => {
  const name = await makeDatabase(cluster)
  await statement(cluster.primary.url(), `drop database ${name}`)
  await statement(
    cluster.primary.url(),
    `create database ${name} template template0 locale_provider icu icu_locale 'en' locale 'C'`,
  )
  const service = await startTestService({ DATABASE_URL: cluster.primary.url(name) })
  for (const path of ['b', 'a', 'a-b', 'a/b', 'ab']) await service.publish.directory(path)
  const { json } = await service.client.get('/api/v1/directories')
  expect((json as { directories: { path: string }[] }).directories.map(({ path }) => path)).toEqual(
    ['a', 'a-b', 'a/b', 'ab', 'b'],
  )
})

test.each([
  ['a closed port', () => 'postgres://me:secret@127.0.0.1:1/x', /ECONNREFUSED/],
  ['an unknown host', () => 'postgres://me:secret@nohost.invalid/x', /nohost\.invalid/],
  [
    'a database that does not exist',
    () => `postgres://postgres:secret@127.0.0.1:${cluster.primary.port}/none`,
    /"none" does not exist/,
  ],
  [
    'a user that does not exist',
    () => `postgres://stranger:secret@127.0.0.1:${cluster.primary.port}/postgres`,
    /"stranger" does not exist/,
  ],
])('%s gives a one-line error that names DATABASE_URL and no password', async (_, url, reason) => {
  const started = startTestService({ DATABASE_URL: url() })
  const { message } = await started.then(
    () => ({ message: 'started' }),
    (error: Error) => error,
  )
  expect(message).toMatch(/^DATABASE_URL: [^\n]+$/)
  expect(message).toMatch(reason)
  expect(message).not.toContain('secret')
})

test('while the database is down, every request answers 503 with Retry-After, and works again afterwards', async () => {
  const service = await boardOn(cluster.primary.url(await makeDatabase(cluster)))
  await service.publish.message('lab')
  await cluster.primary.stop('SIGKILL')
  const failed = await post(service, 'while-down')
  expect([failed.status, failed.code]).toEqual([503, 'storage_unavailable'])
  expect(failed.headers.get('retry-after')).toMatch(/^[0-9]+$/)
  for (const path of [MESSAGES, '/messages/1.json', '/healthz'])
    expect([path, (await service.client.get(path)).status]).toEqual([path, 503])
  await cluster.primary.start()
  await until(async () => (await post(service, 'while-down')).status < 300, 30_000)
  expect(await allIds(service)).toEqual([1n, 2n])
})
