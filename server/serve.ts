// Runs the service until a stop signal, which may arrive at any time. Shared by npm start and npm run demo.
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { type RunningService, startService } from './service.ts'
import { system } from './system.ts'

/** A startup still running this long after a signal is abandoned, which is safe at any point [ms]. */
const START_TIMEOUT_MS = 2_000

/**
 * Starts the service and stops it after the signal. A signal during startup stops it as soon as it has started.
 * @param onStart called once the service is listening
 * @throws Error when the service fails to start, unless a signal has arrived by then
 */
export async function serveUntil(
  stopped: Promise<NodeJS.Signals>,
  config: Config,
  log: Logger,
  onStart: (service: RunningService) => void = () => {},
): Promise<void> {
  let isStopping = false
  const abandoned = stopped.then(() => {
    isStopping = true
    return delay(START_TIMEOUT_MS, null)
  })
  const starting = startService(config, log, system).catch((error) => {
    // The same signal may have killed a child process that the startup was waiting for.
    if (isStopping) return null
    throw error
  })
  const service = await Promise.race([starting, abandoned])
  if (service && !isStopping) onStart(service)
  log.info(`${await stopped}: stopping`)
  await service?.stop()
}
