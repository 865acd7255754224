// Serves GET /metrics on a port of its own, so that a proxy in front of the service does not expose it (API.md 10.2).
import type { Logger } from 'pino'
import { contentHeaders } from '../http/answer.ts'
import { mount, type Route } from '../http/mount.ts'
import { Transport } from '../http/transport.ts'
import { errorPage } from '../pages/frame/error.ts'
import type { Clock } from '../system/system.ts'
import type { Problem } from '../wire/problem.ts'
import { createMetrics, type Metrics, type MetricsDeps } from './metrics.ts'

export interface RunningMetrics extends Pick<Metrics, 'onAnswer' | 'onBatch'> {
  stop(timeoutMs: number): Promise<void>
}

/** @throws Error that names METRICS_PORT or HOST */
export async function startMetrics(
  { host, port }: { host: string; port: number },
  { log, ...deps }: MetricsDeps & { log: Logger },
): Promise<RunningMetrics> {
  const metrics = await createMetrics(deps)
  const transport = metricsTransport(metrics, log, deps.clock)
  const url = await transport.listen({ host, port, variable: 'METRICS_PORT' })
  log.info(`Metrics at ${url}metrics`)
  return { ...metrics, stop: (timeoutMs) => transport.stop(timeoutMs) }
}

function metricsTransport(metrics: Metrics, log: Logger, clock: Clock): Transport {
  const route: Route = {
    method: 'GET',
    path: '/metrics',
    representation: 'data',
    handle: async () => ({
      status: 200,
      headers: contentHeaders(metrics.contentType, 'no-store'),
      body: await metrics.text(),
    }),
  }
  const page = async (problem: Problem) => errorPage(problem, true)
  return new Transport(mount([route], { log, clock, errorPage: page }), { log })
}
