// Servers killed while they write: every acknowledged record exists exactly once, and is found by its words (API.md 4.5, 5, 11).
import { beforeEach, expect, test } from 'vitest'
import { type Client, clientOf } from '../../support/client.ts'
import { databaseIn, dataEnvironment } from '../../support/database.ts'
import { idsOf } from '../../support/publish.ts'
import { temporaryFolder } from '../../support/release.ts'
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts'
import { until } from '../../support/time.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = temporaryFolder()
  await databaseIn(dataDir)
})

async function start(): Promise<{ server: ServerProcess; client: Client }> {
  const server = await startServerProcess(dataEnvironment(dataDir))
  return { server, client: clientOf(() => server.url) }
}

const MESSAGES = '/api/v1/messages'

/** Posts one message after another until the server is gone, and records key -> location of the acknowledged ones. */
async function postUntilKilled(
  client: Client,
  writer: number,
  acknowledged: Map<string, string>,
): Promise<void> {
  for (let n = 0; ; n++) {
    const key = `${writer}-${n}`
    try {
      const reply = await post(client, key)
      expect(reply.status).toBe(201)
      acknowledged.set(key, reply.headers.get('location') as string)
    } catch (error) {
      if (error instanceof TypeError) return
      throw error
    }
  }
}

const post = (client: Client, key: string) =>
  client.post(MESSAGES, { directory: 'lab', body: key }, { 'idempotency-key': key })

async function allIds(client: Client): Promise<bigint[]> {
  const ids: bigint[] = []
  for (;;) {
    const page = idsOf(await client.get(`${MESSAGES}?limit=100&after=${ids.at(-1) ?? 0n}`))
    if (page.length === 0) return ids
    ids.push(...page)
  }
}

test('kill -9 neither loses nor duplicates an acknowledged record', {
  timeout: 180_000,
}, async () => {
  const first = await start()
  await first.client.post('/api/v1/directories', { path: 'lab' })
  await first.client.post(MESSAGES, { directory: 'lab', body: 'first' })
  const acknowledged = new Map<string, string>()
  let running = first
  for (let round = 0; round < 2; round++) {
    const before = acknowledged.size
    const writers = Array.from({ length: 16 }, (_, i) =>
      postUntilKilled(running.client, round * 16 + i, acknowledged),
    )
    await until(() => acknowledged.size >= before + 100 + 7 * round)
    await running.server.kill()
    await Promise.all(writers)
    running = await start()
  }
  for (const [key, location] of acknowledged) {
    const replay = await post(running.client, key)
    expect([replay.status, replay.headers.get('location')]).toEqual([200, location])
  }
  for (const [key, location] of acknowledged) {
    const q = encodeURIComponent(`"${key}"`)
    const found = idsOf(await running.client.get(`/api/v1/search?q=${q}`))
    expect(found.map((id) => `/messages/${id}`)).toEqual([location])
  }
  const ids = await allIds(running.client)
  expect(new Set(ids).size).toBe(ids.length)
  // At most two times sixteen requests were committed but not acknowledged.
  expect(ids.length).toBeGreaterThanOrEqual(acknowledged.size + 1)
  expect(ids.length).toBeLessThanOrEqual(acknowledged.size + 1 + 32)
  expect(ids).toEqual(ids.map((_, i) => BigInt(i + 1)))
})
