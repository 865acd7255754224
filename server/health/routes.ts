// GET /healthz and /readyz: whether the service works, and whether it accepts requests (API.md 10.1).
import { nullIf } from '../../archive/base/errors.ts'
import { VERSION } from '../../archive/base/version.ts'
import type { ArchiveReader } from '../../archive/reading/reader.ts'
import type { ClockGuard } from '../clock/guard.ts'
import type { Database, DatabaseState } from '../database/database.ts'
import { answerJson } from '../http/answer.ts'
import { attach, type Route } from '../http/mount.ts'
import { within } from '../system/system.ts'
import { Problem } from '../wire/problem.ts'
import { HEALTH, type Health } from './api.ts'

/** How long the database and the archive have to respond [ms]: neither a balancer nor a scrape must time out before the answer. */
const TIMEOUT_MS = 1_500

export interface HealthDeps {
  database: Database
  archive: ArchiveReader
  clockGuard: Pick<ClockGuard, 'isWrong'>
  /** True once a stop signal has arrived; only requests in flight are finished. */
  isStopping(): boolean
}

export function healthRoutes(deps: HealthDeps): Route[] {
  return attach(HEALTH, {
    readHealth: async (call, { cache }) => {
      const health = await healthOf(deps, stateOf(deps.database))
      return answerJson(call, health, cache)
    },
    readReadiness: async (call, { cache }) => {
      if (deps.isStopping()) throw new Problem('overloaded', 'the service is stopping')
      const state = stateOf(deps.database)
      const health = await healthOf(deps, state)
      if ((await state) === 'outdated')
        throw new Problem('storage_unavailable', 'the database belongs to a newer version')
      return answerJson(call, health, cache)
    },
  })
}

/** @throws Problem storage_unavailable when the database cannot be read */
async function healthOf(deps: HealthDeps, database: Promise<DatabaseState>): Promise<Health> {
  const [state, archive] = await Promise.all([database, archiveState(deps.archive)])
  if (state === 'unavailable')
    throw new Problem('storage_unavailable', 'the database cannot be read')
  const clock = deps.clockGuard.isWrong ? 'wrong' : 'ok'
  return { status: 'ok', version: VERSION, database: 'ok', archive, clock }
}

export const stateOf = (database: Database): Promise<DatabaseState> =>
  within(TIMEOUT_MS, database.state(), 'unavailable')

/** An unreadable archive does not fail the health check: the service still serves the board. */
export async function archiveState(archive: ArchiveReader): Promise<Health['archive']> {
  const days = await within(TIMEOUT_MS, archive.days(), null).catch(nullIf())
  return days === null ? 'unavailable' : 'ok'
}
