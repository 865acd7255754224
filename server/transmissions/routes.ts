// Handles the endpoints of the transmissions archive, which api.ts declares.
import { attach } from '../http/attach.ts'
import type { Route } from '../http/mount.ts'
import { TRANSMISSIONS } from './api.ts'
import { checkHandlers } from './check-handlers.ts'
import { dayHandlers } from './day-handlers.ts'
import { LogReader } from './day-log.ts'
import { guardedBy } from './guard.ts'
import type { TransmissionDeps } from './handler-deps.ts'
import { listHandlers, newestDayHandlers } from './list-handlers.ts'
import type { TransmissionPages } from './views.ts'

export function transmissionRoutes(deps: TransmissionDeps, pages: TransmissionPages): Route[] {
  const shared = { deps, guarded: guardedBy(deps), pages, log: new LogReader(deps.archive) }
  return attach(TRANSMISSIONS, {
    ...listHandlers(shared),
    ...newestDayHandlers(shared),
    ...dayHandlers(shared),
    ...checkHandlers(shared),
  })
}
