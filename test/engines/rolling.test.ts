// Two servers behind nginx are updated one after the other while they are written to and read (OPERATING.md 12): without a
// migration nobody notices; with one, a server of the version before reads on and refuses to write.
// Rules: OPERATING.md 2.3.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { clientOf } from '../support/client.ts'
import { freePort } from '../support/listen.ts'
import { makeDatabase, startCluster } from '../support/postgres.ts'
import { AS_NEXT_VERSION, findProgram } from '../support/programs.ts'
import { temporaryFolder } from '../support/release.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { elapse } from '../support/time.ts'
import { Traffic } from '../support/traffic.ts'
import { startNginx } from './nginx.ts'

const nginx = findProgram('nginx')
const ENGINES = ['PostgreSQL', 'SQLite']
/** The number of records that must be acknowledged between two steps of an update. */
const RECORDS_BETWEEN = 40
/** Long enough for a busy machine. */
const TIMEOUT_MS = 600_000

const databaseOn = async (engine: string) => {
  if (engine === 'SQLite') return `sqlite:${join(temporaryFolder(), 'rolling.sqlite')}`
  const cluster = await startCluster({ durable: false })
  return cluster.primary.url(await makeDatabase(cluster))
}

interface Site {
  servers: ServerProcess[]
  /** Through the proxy. */
  traffic: Traffic
  /** Stops a server, and starts one of this or of another version in its place while the traffic goes on. */
  update(which: number, version?: readonly string[]): Promise<void>
}

async function openSite(engine: string): Promise<Site> {
  const env = { DATA_DIR: temporaryFolder(), DATABASE_URL: await databaseOn(engine) }
  const ports = [String(await freePort()), String(await freePort())]
  const start = (PORT: string, version: readonly string[] = []) =>
    startServerProcess({ ...env, PORT, TRUST_PROXY: '127.0.0.1' }, [...version, 'server/start.js'])
  const servers: ServerProcess[] = []
  for (const port of ports) servers.push(await start(port))
  const upstreams = ports.map((port) => `127.0.0.1:${port}`)
  const { url } = await startNginx(nginx as string, upstreams)
  const traffic = await Traffic.start([url], { writers: 8, pauseMs: 20 })
  await traffic.goOn(RECORDS_BETWEEN)
  return {
    servers,
    traffic,
    async update(which, version) {
      expect(await servers[which]?.stop()).toBe(0)
      await traffic.goOn(RECORDS_BETWEEN)
      servers[which] = await start(ports[which] as string, version)
      await elapse(2_000, 'nginx asks a server again that was down')
      await traffic.goOn(RECORDS_BETWEEN)
    },
  }
}

test.skipIf(!nginx).each(ENGINES)(
  'without a migration, no request fails while both servers on %s are updated',
  async (engine) => {
    const site = await openSite(engine)
    for (const which of [0, 1]) await site.update(which)
    await site.traffic.expectNothingMissed()
    expect(site.traffic.failures).toEqual([])
  },
  TIMEOUT_MS,
)

test.skipIf(!nginx).each(ENGINES)(
  'with a migration on %s, the server that is not yet updated answers writes with 503, no read fails, and nothing is lost',
  async (engine) => {
    const site = await openSite(engine)
    const { servers, traffic } = site
    await site.update(0, AS_NEXT_VERSION)
    const old = clientOf(() => (servers[1] as ServerProcess).url)
    expect((await old.post('/api/v1/directories', { path: 'late' })).code).toBe(
      'storage_unavailable',
    )
    for (const path of [
      '/',
      '/d/first',
      '/messages/1',
      '/search?q=0',
      '/moderation',
      '/continuity',
    ])
      expect([path, (await old.get(path)).status]).toEqual([path, 200])
    await site.update(1, AS_NEXT_VERSION)
    const during = traffic.failures.length
    await site.update(0, AS_NEXT_VERSION)
    await traffic.expectNothingMissed()
    expect(new Set(traffic.failures)).toEqual(new Set(['POST 503']))
    expect(traffic.failures).toHaveLength(during)
  },
  TIMEOUT_MS,
)
