// Handles the endpoints of the transmissions archive, which api.ts declares.
import { attach, type Route } from '../http/mount.ts'
import { TRANSMISSIONS } from './api.ts'
import { archiveFileHandlers, dayFileHandlers } from './files.ts'
import { pageHandlers } from './pages.ts'
import type { TransmissionDeps, TransmissionPages } from './views.ts'

export function transmissionRoutes(deps: TransmissionDeps, pages: TransmissionPages): Route[] {
  return attach(TRANSMISSIONS, {
    ...pageHandlers(deps, pages),
    ...dayFileHandlers(deps),
    ...archiveFileHandlers(deps),
  })
}
