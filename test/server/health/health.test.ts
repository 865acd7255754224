// Tests GET /healthz and /readyz: the states of the database, of the archive and of a stop.
// Rules: API.md 10.1.

import { renameSync } from 'node:fs'
import { beforeEach, expect, test, vi } from 'vitest'
import { ArchiveError } from '../../../archive/base/errors.ts'
import { VERSION } from '../../../archive/base/version.ts'
import type { ArchiveReader } from '../../../archive/reading/reader.ts'
import type { Database } from '../../../server/database/database.ts'
import { healthRoutes } from '../../../server/health/routes.ts'
import { callOf } from '../../support/call.ts'
import { startTestService, type TestService } from '../../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})

const responseOf = async (path: string) => {
  const response = await fetch(`${service.url}${path}`)
  return { status: response.status, body: await response.json() }
}

const OK = { status: 'ok', version: VERSION, database: 'ok', archive: 'ok', clock: 'ok' }

test.each(['/healthz', '/readyz'])('%s returns 200 when everything is readable', async (path) => {
  expect(await responseOf(path)).toEqual({ status: 200, body: OK })
})

test('an unreadable archive is reported, and both paths still return 200', async () => {
  renameSync(service.archiveDir, `${service.archiveDir}.away`)
  const expected = { status: 200, body: { ...OK, archive: 'unavailable' } }
  expect(await responseOf('/healthz')).toEqual(expected)
  expect(await responseOf('/readyz')).toEqual(expected)
})

type Deps = Parameters<typeof healthRoutes>[0]

const HEALTHY: Deps = {
  database: { state: async () => 'ok' } as Partial<Database> as Database,
  archive: { days: async (): Promise<readonly string[]> => [] } as ArchiveReader,
  clockGuard: { isWrong: false },
  isStopping: () => false,
}

/** Calls a route of a service in a given state without a socket. */
const call = async (path: string, deps: Partial<Deps>) =>
  healthRoutes({ ...HEALTHY, ...deps })
    .find((route) => route.path === path)
    ?.handle(callOf(path))

/** Returns the result of work once all its timers have fired. */
async function afterTimeout<T>(work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const result = work()
    vi.runAllTimers()
    return await result
  } finally {
    vi.useRealTimers()
  }
}

const never = () => new Promise<never>(() => {})

test.each([
  ['is unreadable', async () => 'unavailable' as const],
  ['does not respond', never],
])('both paths return 503 while the database %s', async (_, state) => {
  const database = { state } as Partial<Database> as Database
  for (const path of ['/healthz', '/readyz'])
    await expect(afterTimeout(() => call(path, { database }))).rejects.toMatchObject({
      code: 'storage_unavailable',
      status: 503,
    })
})

test('an archive that does not respond is reported as unavailable', async () => {
  const archive = { days: never } as Partial<ArchiveReader> as ArchiveReader
  const answer = await afterTimeout(() => call('/healthz', { archive }))
  expect(JSON.parse(String(answer?.body))).toMatchObject({ archive: 'unavailable' })
})

test('only /readyz returns 503 while the service stops', async () => {
  const isStopping = () => true
  expect(await call('/healthz', { isStopping })).toMatchObject({ status: 200 })
  await expect(call('/readyz', { isStopping })).rejects.toMatchObject({
    code: 'overloaded',
    status: 503,
  })
})

test('an unexpected error is not treated as an archive error', async () => {
  const broken = (error: Error) => ({ days: () => Promise.reject(error) }) as ArchiveReader
  const gone = broken(new ArchiveError('archive_unavailable', 'gone'))
  expect(await call('/healthz', { archive: gone })).toMatchObject({ status: 200 })
  const bug = broken(new TypeError('a bug'))
  await expect(call('/healthz', { archive: bug })).rejects.toThrow('a bug')
})
