// GET /healthz and /readyz: whether the service works, and whether it takes requests (API.md 10.10).
import { sql } from 'kysely'
import { ArchiveError } from '../archive/errors.ts'
import type { ArchiveReader } from '../archive/reader.ts'
import { answerJson } from './http/answer.ts'
import type { Route } from './http/mount.ts'
import type { Store } from './store/database.ts'
import { Problem } from './wire/problem.ts'

export interface HealthDeps {
  store: Store
  archive: ArchiveReader
  /** Whether a signal has ended the service, which only finishes what is in flight. */
  isStopping(): boolean
}

export function healthRoutes(deps: HealthDeps): Route[] {
  return [
    {
      method: 'GET',
      path: '/healthz',
      representation: 'data',
      operation: 'readHealth',
      handle: async (call) => answerJson(call, await healthOf(deps), 'no-store'),
    },
    {
      method: 'GET',
      path: '/readyz',
      representation: 'data',
      operation: 'readReadiness',
      handle: async (call) => {
        if (deps.isStopping()) throw new Problem('overloaded', 'the service is stopping')
        return answerJson(call, await healthOf(deps), 'no-store')
      },
    },
  ]
}

/** @throws Problem storage_unavailable when the database cannot be read */
async function healthOf({ store, archive }: HealthDeps) {
  await sql`select 1 from settings`.execute(store.db).catch(() => {
    throw new Problem('storage_unavailable', 'the database cannot be read')
  })
  return { status: 'ok', database: 'ok', archive: await stateOf(archive) } as const
}

/** Without its archive the service still has its board. */
async function stateOf(archive: ArchiveReader): Promise<'ok' | 'unavailable'> {
  try {
    await archive.days()
    return 'ok'
  } catch (error) {
    if (error instanceof ArchiveError) return 'unavailable'
    throw error
  }
}
