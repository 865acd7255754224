// Collects the service's metrics in Prometheus's format (API.md 10.2). Loaded only with METRICS_PORT.
import type { Logger } from 'pino'
import type { Gauge, Histogram, Registry } from 'prom-client'
import { isArchiveError } from '../../archive/base/errors.ts'
import { loadOptional } from '../../archive/base/system-error.ts'
import { dayOf, previousDay } from '../../archive/format/calendar.ts'
import type { WitnessPolicy } from '../../archive/log/policy-file.ts'
import { hasQuorum } from '../../archive/log/witnessed.ts'
import type { ArchiveReader } from '../../archive/reading/reader.ts'
import type { ClockGuard } from '../clock/guard.ts'
import { readBeginning } from '../data/first-day.ts'
import type { Database } from '../database/database.ts'
import { isUnavailable } from '../database/errors.ts'
import { lastBackup, lastFailure } from '../database/settings/settings.ts'
import { archiveState, stateOf } from '../health/routes.ts'
import { contentHeaders } from '../http/answer.ts'
import { mount, type OnAnswer, type Route } from '../http/mount.ts'
import { Transport } from '../http/transport.ts'
import { errorPage } from '../pages/frame/error.ts'
import type { OnBatch } from '../publishing/publisher.ts'
import type { Clock } from '../system/system.ts'
import type { Problem } from '../wire/problem.ts'

export type Metrics = Awaited<ReturnType<typeof startMetrics>>

interface MetricsDeps {
  database: Database
  archive: ArchiveReader
  clockGuard: Pick<ClockGuard, 'isWrong'>
  clock: Clock
  log: Logger
  /** The witnesses that are asked to sign the log; null for none. */
  witnessPolicy: WitnessPolicy | null
}

/** From 0.2 ms, a small page from memory, to 10 s, PostgreSQL's statement timeout [s]. */
const LATENCIES = [
  0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10,
]
/** Up to the largest batch. */
const SIZES = [1, 2, 5, 10, 20, 50, 100, 200]

const MS_PER_S = 1000

/**
 * Serves GET /metrics on a port of its own, so that a proxy in front of the service does not expose it.
 * @throws Error that names METRICS_PORT or HOST, or the package prom-client if it is not installed
 */
export async function startMetrics(
  { host, port }: { host: string; port: number },
  deps: MetricsDeps,
) {
  const { log, clock } = deps
  const need = 'metrics need the package prom-client'
  const { default: prom } = await loadOptional(() => import('prom-client'), need)
  const registry = new prom.Registry()
  prom.collectDefaultMetrics({ register: registry })
  addStates(prom, registry, deps)
  const page = async (problem: Problem) => errorPage(problem, { isClosed: true })
  const respond = mount([routeOf(registry)], { log, clock, errorPage: page })
  const transport = new Transport(respond, { log })
  log.info(`Metrics at ${await transport.listen({ host, port, variable: 'METRICS_PORT' })}metrics`)
  return {
    onAnswer: observeAnswers(prom, registry),
    onBatch: observeBatches(prom, registry),
    stop: (timeoutMs: number): Promise<void> => transport.stop(timeoutMs),
  }
}

const routeOf = (registry: Registry): Route => ({
  method: 'GET',
  path: '/metrics',
  representation: 'data',
  handle: async () => ({
    status: 200,
    headers: contentHeaders(registry.contentType, 'no-store'),
    body: await registry.metrics(),
  }),
})

type PromClient = typeof import('prom-client')

function observeAnswers(prom: PromClient, registry: Registry): OnAnswer {
  const duration: Histogram<'route' | 'method' | 'status'> = new prom.Histogram({
    name: 'daysignal_request_duration_seconds',
    help: 'From the head of a request until its response is ready to be sent.',
    labelNames: ['route', 'method', 'status'],
    buckets: LATENCIES,
    registers: [registry],
  })
  return ({ route, method, status, ms }) =>
    duration.observe({ route: route ?? 'none', method, status }, ms / MS_PER_S)
}

function observeBatches(prom: PromClient, registry: Registry): OnBatch {
  const histogram = (name: string, help: string, buckets: number[]) =>
    new prom.Histogram({ name: `daysignal_batch_${name}`, help, buckets, registers: [registry] })
  const size = histogram('requests', 'Writes that were committed together.', SIZES)
  const wait = histogram(
    'wait_seconds',
    'How long a write waited for the batch before it.',
    LATENCIES,
  )
  const duration = histogram(
    'duration_seconds',
    'From the start of a batch until its commit.',
    LATENCIES,
  )
  return ({ waitedMs, tookMs }) => {
    size.observe(waitedMs.length)
    for (const ms of waitedMs) wait.observe(ms / MS_PER_S)
    duration.observe(tookMs / MS_PER_S)
  }
}

/** Registers the gauges that are read at each scrape. A gauge whose source cannot be read is left out. */
function addStates(prom: PromClient, registry: Registry, deps: MetricsDeps): void {
  // First, so that the connections used by this scrape are not counted.
  addPool(prom, registry, deps.database)
  for (const [name, [help, read]] of Object.entries(statesOf(deps)))
    new prom.Gauge({
      name: `daysignal_${name}`,
      help,
      registers: [registry],
      async collect() {
        const value = await read().catch(nullIfUnreadable)
        if (value === null) this.remove()
        else this.set(value)
      },
    })
}

/** By the name of its gauge: what a value means, and how to read it. */
type States = Record<string, [help: string, read: () => Promise<number | null>]>

const statesOf = (deps: MetricsDeps): States => ({
  last_sealed_day_seconds: [
    'Beginning of the newest sealed day, or before the first of the day before the board, Unix time.',
    () => readLastSealed(deps),
  ],
  log_size: [
    'Leaves of the log of days that the checkpoint has signed.',
    async () => (await deps.archive.log())?.head.size ?? null,
  ],
  clock_wrong: [
    '1 while the clock is wrong and nothing is written.',
    async () => Number(deps.clockGuard.isWrong),
  ],
  database_up: [
    '1 while the database can be read.',
    async () => Number((await stateOf(deps.database)) !== 'unavailable'),
  ],
  archive_up: [
    '1 while the archive can be read.',
    async () => Number((await archiveState(deps.archive)) === 'ok'),
  ],
  log_witnessed: [
    '1 while the witnesses that the policy demands have signed the log, else 0.',
    async () => {
      const log = await deps.archive.log()
      const isWitnessed = hasQuorum(log, deps.witnessPolicy, deps.clock.now())
      return isWitnessed === null ? null : Number(isWitnessed)
    },
  ],
  last_backup_seconds: [
    'When a dated backup was last made, Unix time.',
    () => readLastBackedUp(deps),
  ],
  last_failure_seconds: [
    'When the pipeline failed last, Unix time.',
    async () => {
      const failure = await lastFailure.read(deps.database.db)
      return failure && failure.at / MS_PER_S
    },
  ],
})

/**
 * Returns when the newest sealed day began [s]. For a board without one, that is the day before its
 * first, so that a first day that is never sealed is noticed, too.
 */
async function readLastSealed({ archive, database }: MetricsDeps): Promise<number | null> {
  const newest = (await archive.days()).at(-1)
  if (newest !== undefined) return Date.parse(newest) / MS_PER_S
  const beganAt = await readBeginning(database.db)
  return beganAt === null ? null : Date.parse(previousDay(dayOf(beganAt))) / MS_PER_S
}

/** Returns when the last backup was made [s]: 0 if one is missing, null if none is needed here. */
async function readLastBackedUp({ archive, database }: MetricsDeps): Promise<number | null> {
  const at = await lastBackup.read(database.db)
  if (at !== null) return at / MS_PER_S
  // The backups of PostgreSQL are its own, and a mirror can be made again.
  return database.copyTo && !(await archive.mirror()) ? 0 : null
}

/** A `catch` handler: returns null if the archive or the database cannot be read, or a file of the archive is damaged. */
function nullIfUnreadable(error: unknown): null {
  if (isArchiveError(error) || isUnavailable(error)) return null
  throw error
}

/** Adds the gauge of pooled connections; none on an engine without a pool. */
function addPool(prom: PromClient, registry: Registry, database: Database): void {
  const { connections } = database
  if (!connections) return
  const gauge: Gauge<'state'> = new prom.Gauge({
    name: 'daysignal_database_connections',
    help: 'Connections to the primary: busy, idle, and requests waiting for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(connections())) gauge.set({ state }, count)
    },
  })
}
