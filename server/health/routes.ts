// GET /healthz and /readyz: whether the service works, and whether it accepts requests (API.md 10.10).
import { ArchiveError } from '../../archive/errors.ts'
import type { ArchiveReader } from '../../archive/reader.ts'
import type { ClockGuard } from '../clock/guard.ts'
import { answerJson } from '../http/answer.ts'
import { attach } from '../http/attach.ts'
import type { Route } from '../http/mount.ts'
import type { Store, StoreState } from '../store/database.ts'
import { Problem } from '../wire/problem.ts'
import { HEALTH, type Health } from './api.ts'

export interface HealthDeps {
  store: Store
  archive: ArchiveReader
  clockGuard: Pick<ClockGuard, 'isWrong'>
  /** True once a stop signal has arrived; only requests in flight are finished. */
  isStopping(): boolean
}

export function healthRoutes(deps: HealthDeps): Route[] {
  return attach(HEALTH, {
    readHealth: async (call, { cache }) => {
      const health = await healthOf(deps, await deps.store.state())
      return answerJson(call, health, cache)
    },
    readReadiness: async (call, { cache }) => {
      if (deps.isStopping()) throw new Problem('overloaded', 'the service is stopping')
      const state = await deps.store.state()
      if (state === 'outdated')
        throw new Problem('storage_unavailable', 'the database belongs to a newer version')
      return answerJson(call, await healthOf(deps, state), cache)
    },
  })
}

/** @throws Problem storage_unavailable when the database cannot be read */
async function healthOf({ archive, clockGuard }: HealthDeps, state: StoreState): Promise<Health> {
  if (state === 'unavailable')
    throw new Problem('storage_unavailable', 'the database cannot be read')
  const clock = clockGuard.isWrong ? 'wrong' : 'ok'
  return { status: 'ok', database: 'ok', archive: await stateOf(archive), clock }
}

/** An unreadable archive does not fail the health check: the service still serves the board. */
async function stateOf(archive: ArchiveReader): Promise<Health['archive']> {
  try {
    await archive.days()
    return 'ok'
  } catch (error) {
    if (error instanceof ArchiveError) return 'unavailable'
    throw error
  }
}
