// What the handlers of transmissions share, and what their pages show of the service and the archive as a whole.
import type { WitnessPolicy } from '../../archive/log/policy-file.ts'
import { baseUrlOf } from '../http/base-url.ts'
import type { Call } from '../http/call.ts'
import type { KeptPages } from '../http/kept-pages.ts'
import { type ArchivedDeps, signedLog } from './archived.ts'
import type { LogReader } from './day-log.ts'
import type { GuardDeps, Guarded } from './guard.ts'
import type { TodayCounts } from './today-counts.ts'
import type { ArchiveView, Site, TransmissionPages, Upcoming } from './views.ts'
import { witnessSummary } from './witnesses.ts'

export interface TransmissionDeps extends GuardDeps, ArchivedDeps {
  /** Whether the archive is a mirror, which gets its days from its source. */
  isMirror: boolean
  kept: KeptPages
  today: TodayCounts
  modes: GuardDeps['modes'] & {
    /** Whether publishing messages is currently off. */
    isClosed(): Promise<boolean>
  }
  /** BASE_URL, if set. */
  baseUrl: string | undefined
  /** The addresses of mirrors (MIRRORS). */
  mirrors: readonly string[]
  /** The witnesses that are asked to sign the log (WITNESS_POLICY); null for none. */
  witnessPolicy: WitnessPolicy | null
  /** Whether programs that request media are redirected to the object store (API.md 9.13). */
  mediaRedirect: boolean
  /** The private key that signs receipts; the file may be missing. */
  signingKeyFile: string
}

/** What all handlers of transmissions share. */
export interface Shared {
  deps: TransmissionDeps
  guarded: Guarded
  pages: TransmissionPages
  log: LogReader
}

/** Collects what pages show about the archive as a whole. */
export const viewFor = async (
  call: Call,
  deps: Shared['deps'],
  logReader: LogReader,
): Promise<ArchiveView> => {
  const log = await signedLog(logReader, deps)
  return {
    log,
    witnessed: witnessSummary(log, deps.witnessPolicy, deps.clock.now()),
    mirrors: deps.mirrors,
    ...(await siteFor(call, deps)),
    ...upcomingOf(deps),
  }
}

export const upcomingOf = ({ clock, nextSnapshot, isMirror }: Shared['deps']): Upcoming => ({
  now: clock.now(),
  nextRun: nextSnapshot(),
  isMirror,
})

export const siteFor = async (call: Call, deps: Shared['deps']): Promise<Site> => ({
  baseUrl: baseUrlOf(call, deps.baseUrl),
  isClosed: await deps.modes.isClosed(),
})
