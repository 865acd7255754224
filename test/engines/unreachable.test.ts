// The service while PostgreSQL responds to nothing, or accepts no further connection: what can be answered is answered
// soon, and nothing is lost or published twice.
// Rules: OPERATING.md 14.1.
import { expect, test } from 'vitest'
import { makeDatabase, startCluster, statement } from '../support/postgres.ts'
import { idsOf } from '../support/publish.ts'
import { startTestService } from '../support/service.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { until } from '../support/time.ts'
import { boardOn, MESSAGES, post, urlAt } from './board.ts'

const cluster = await startCluster({ durable: false })

/** Starts a service whose connections to its database go through a proxy. */
async function startBehindProxy(name: string) {
  const proxy = await startProxy(cluster.primary.port)
  return [await boardOn(urlAt(name, proxy.port)), proxy] as const
}

/** Whether a promise has settled by now. */
function watched(promise: Promise<unknown>): () => boolean {
  let isSettled = false
  promise.finally(() => {
    isSettled = true
  })
  return () => isSettled
}

test('while nothing gets through, health checks are answered before other requests, and all with 503', async () => {
  const [service, proxy] = await startBehindProxy(await makeDatabase(cluster))
  const { client } = service
  proxy.isBlack = true
  const requests = [
    post(service, 'lost'),
    client.get(MESSAGES),
    client.get('/d/lab', { accept: 'text/html' }),
  ]
  const isAnswered = requests.map(watched)
  const checks = await Promise.all(['/healthz', '/readyz'].map((path) => client.get(path)))
  expect(checks.map(({ status }) => status)).toEqual([503, 503])
  expect(isAnswered.map((is) => is())).toEqual([false, false, false])
  for (const { status, headers } of await Promise.all(requests)) {
    expect(status).toBe(503)
    expect(headers.get('retry-after')).toMatch(/^[0-9]+$/)
  }
  proxy.isBlack = false
  await until(async () => (await post(service, 'lost')).status < 300)
  expect(idsOf(await client.get(MESSAGES))).toEqual([1n])
})

test('only the write whose COMMIT is not answered waits for it; those behind it get 503, and it is published once', async () => {
  const [service, proxy] = await startBehindProxy(await makeDatabase(cluster))
  const { client } = service
  proxy.blackFrom('COMMIT', 'the first')
  const first = post(service, 'first', 'the first')
  const isFirstAnswered = watched(first)
  await until(() => proxy.isBlack)
  const behind = await Promise.all([post(service, 'behind'), client.get(MESSAGES)])
  expect(behind.map(({ status }) => status)).toEqual([503, 503])
  expect(isFirstAnswered()).toBe(false)
  proxy.isBlack = false
  expect((await first).status).toBe(201)
  expect((await post(service, 'first', 'the first')).status).toBe(200)
  expect((await post(service, 'behind')).status).toBe(201)
  expect(idsOf(await client.get(MESSAGES))).toEqual([1n, 2n])
})

test('a server that is cut off in the middle of a batch delays the writes of the others, but fails none', async () => {
  const name = await makeDatabase(cluster)
  const [cutOff, proxy] = await startBehindProxy(name)
  const other = await startTestService({ DATABASE_URL: cluster.primary.url(name) })
  proxy.blackFrom('INSERT', 'the lost')
  const lost = post(cutOff, 'lost', 'the lost')
  await until(() => proxy.isBlack)
  expect((await post(other, 'kept')).status).toBe(201)
  expect((await lost).status).toBe(503)
  expect(idsOf(await other.client.get(MESSAGES))).toEqual([1n])
})

test('at the limit of connections, a server answers everything with those that it has', async () => {
  const name = await makeDatabase(cluster)
  await statement(cluster.primary.url(), 'create role few login connection limit 5')
  await statement(cluster.primary.url(), `alter database ${name} owner to few`)
  await statement(cluster.primary.url(name), 'alter schema public owner to few')
  const service = await boardOn(cluster.primary.url(name).replace('postgres@', 'few@'))
  const { client } = service
  for (let round = 0; round < 5; round++) {
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        n % 4 ? client.get(`${MESSAGES}?limit=${n + 1}`) : post(service, `${round}-${n}`),
      ),
    )
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 201]))
  }
  expect(idsOf(await client.get(`${MESSAGES}?limit=100`))).toHaveLength(50)
})
