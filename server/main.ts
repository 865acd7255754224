// npm start: runs the server and its schedule until a signal stops it.
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { program, programLine } from '../archive/base/command-line.ts'
import { runCommand } from '../archive/base/terminal.ts'
import { type Config, readConfig } from './config.ts'
import { loadDotEnv } from './data/environment.ts'
import { type RunningService, startService } from './service.ts'
import { openLog, standardOutput } from './system/process-log.ts'
import { system } from './system/system.ts'

/** A startup still running this long after a signal is abandoned, which is safe at any point [ms]. */
const START_TIMEOUT_MS = 2_000

const START = programLine({
  name: 'daysignal',
  start: 'npm start',
  summary:
    'Serves at HOST and PORT, and publishes the transmission of each finished day at SCHEDULE.',
  words: [],
  options: {},
  closing: [
    'Settings are environment variables, or lines of .env; see server/deploy/OPERATING.md, section 2. Press Ctrl-C to stop.',
  ],
  prepare: () => undefined,
})

/** Runs the command, then exits the process. @param stopped resolves with the signal that stops the service */
export async function main(stopped: Promise<NodeJS.Signals>): Promise<never> {
  await runCommand(program(START, () => run(stopped)))
  process.exit()
}

async function run(stopped: Promise<NodeJS.Signals>): Promise<number> {
  loadDotEnv()
  const config = readConfig(process.env)
  await serveUntil(stopped, config, openLog(config.logLevel, standardOutput()))
  return 0
}

/**
 * Starts the service, and stops it after the signal, for npm start and npm run demo. A signal during startup stops it as soon
 * as it has started.
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
