// Builds the service's request handler: all features' routes in one table.
import { createSecretKey } from 'node:crypto'
import { directoryActivity } from './board/activity.ts'
import { boardRoutes } from './board/routes.ts'
import type { ClockGuard } from './clock/guard.ts'
import type { Config } from './config.ts'
import { todayCounts } from './data/counts.ts'
import type { WritableBoard } from './data/writable-board.ts'
import { nullIfUnavailable } from './database/errors.ts'
import { type HealthDeps, healthRoutes } from './health/routes.ts'
import { KeptPages } from './http/kept-pages.ts'
import { mount, type Respond, type Route } from './http/mount.ts'
import { fileRoutes } from './http/static.ts'
import { investigationActivity } from './investigations/activity.ts'
import { entryReader } from './investigations/entries.ts'
import { investigationRoutes } from './investigations/routes.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { ActionRecord } from './moderation/api.ts'
import { hidingOf } from './moderation/record.ts'
import { moderationRoutes } from './moderation/routes.ts'
import type { CurrentModes } from './modes/current.ts'
import { openApiRoutes } from './openapi/routes.ts'
import { assets } from './pages/assets.ts'
import { boardPages } from './pages/board/board.ts'
import { reviewsPage } from './pages/board/continuity.ts'
import { investigationPages } from './pages/board/investigations.ts'
import { moderationPage } from './pages/board/moderation.ts'
import { searchPage } from './pages/board/search.ts'
import { soundTime } from './pages/days/absent-day.ts'
import { transmissionPages } from './pages/days/transmissions.ts'
import { errorPage } from './pages/frame/error.ts'
import { siteRoutes } from './pages/routes.ts'
import { signalRoutes } from './pages/signal/signal.ts'
import type { WriteDeps } from './publishing/create.ts'
import { clientAddress, hashOrigin, originOf } from './publishing/origin.ts'
import { startPublisher } from './publishing/publisher.ts'
import { reviewRoutes } from './reviews/routes.ts'
import { searchRoutes } from './search/routes.ts'
import { headlineReader } from './sections/headlines.ts'
import type { System } from './system/system.ts'
import { type LookupDeps, sealedDays } from './transmissions/lookup.ts'
import { transmissionRoutes } from './transmissions/routes.ts'
import { hostOf } from './wire/mentions.ts'

export interface AppDeps
  extends Pick<
      Config,
      | 'baseUrl'
      | 'signingKeyFile'
      | 'operatorContact'
      | 'mirrors'
      | 'witnessPolicy'
      | 'quotas'
      | 'trustedProxies'
      | 'mediaRedirect'
    >,
    Omit<WritableBoard, 'stop' | 'isWaiting'>,
    Omit<LookupDeps, 'modes'>,
    HealthDeps {
  randomHex: System['randomHex']
  clockGuard: ClockGuard
  /** Whether the archive is a mirror, which gets its days from its source. */
  isMirror: boolean
  modes: CurrentModes
  /** This service's secret key in hex. Client addresses are stored only as hashes under it. */
  originKey: string
  /** Counts responses and batches; null without METRICS_PORT. */
  metrics: Pick<Metrics, 'onAnswer' | 'onBatch'> | null
}

function writeDeps(deps: AppDeps): WriteDeps {
  const originKey = createSecretKey(deps.originKey, 'hex')
  return {
    ...deps,
    publish: startPublisher({ ...deps, onBatch: deps.metrics?.onBatch }),
    soundTime: () => soundTime({ now: deps.clock.now(), nextRun: deps.nextSnapshot() }),
    originOf: (call) => {
      const forwardedFor = call.header('x-forwarded-for')
      const address = clientAddress(call.peer, forwardedFor, deps.trustedProxies)
      return hashOrigin(originKey, originOf(address))
    },
  }
}

function routesOf(deps: AppDeps): Route[] {
  const { database } = deps
  const writes = writeDeps(deps)
  const activity = investigationActivity(database)
  const directories = directoryActivity(database)
  const today = todayCounts(database.db, deps.clock)
  const host = deps.baseUrl === undefined ? '' : hostOf(deps.baseUrl)
  const headlines = headlineReader(database.db, deps.clock, host)
  const kept = new KeptPages(() => database.version(), deps.clock)
  return [
    ...siteRoutes({ ...deps, kept, soundTime: writes.soundTime, today, headlines, activity }),
    ...boardRoutes(
      {
        ...writes,
        directories,
        kept,
        entryOf: entryReader(activity),
        isSealed: sealedDays(deps.archive, deps.clock),
      },
      boardPages,
    ),
    ...investigationRoutes({ ...writes, activity }, investigationPages),
    ...searchRoutes({ ...deps, directories }, searchPage),
    ...reviewRoutes(deps, reviewsPage),
    ...moderationRoutes({ ...deps, keptRecord: () => keptRecord(deps) }, moderationPage),
    ...transmissionRoutes({ ...deps, kept, today, headlines }, transmissionPages),
    ...signalRoutes(deps),
    ...fileRoutes(assets(deps.baseUrl)),
    ...openApiRoutes(deps),
    ...healthRoutes(deps),
  ]
}

/** The lines of a mirror have the form in which its source lists its actions. */
const keptRecord = async ({ isMirror, archive }: AppDeps) =>
  isMirror ? ((await archive.actions()) as ActionRecord[] | null) : null

export function createApp(deps: AppDeps): Respond {
  return mount(routesOf(deps), {
    log: deps.log,
    clock: deps.clock,
    errorPage: async (problem) => {
      const { missing } = problem
      const hiding = missing && hidingOf(deps.database.db, missing).catch(nullIfUnavailable)
      return errorPage(problem, { isClosed: await deps.modes.isClosed() }, await hiding)
    },
    onAnswer: deps.metrics?.onAnswer,
  })
}
