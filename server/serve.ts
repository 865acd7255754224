// Serves until a signal, whenever it comes: what npm start and npm run demo have in common.
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { type RunningService, startService } from './service.ts'
import { system } from './system.ts'

/** A start that goes on for longer than this after a signal is abandoned, which is safe at any moment [ms]. */
const START_TIMEOUT_MS = 2_000

/**
 * Starts the service and stops it after the signal. A signal during the start stops it as soon as it has started.
 * @param onStart is called once the service listens
 * @throws Error when the service does not start, unless a signal has come meanwhile
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
    // The same signal may have ended a program that the start waited for.
    if (isStopping) return null
    throw error
  })
  const service = await Promise.race([starting, abandoned])
  if (service && !isStopping) onStart(service)
  log.info(`${await stopped}: stopping`)
  await service?.stop()
}
