// A real service for tests: its own data folder, a free port, and a configuration read as from the environment.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { type Config, readConfig } from '../../server/config.ts'
import { type RunningService, startService } from '../../server/service.ts'
import { type Clock, system } from '../../server/system.ts'
import { type Client, clientOf } from './client.ts'
import { databaseIn, dataEnvironment, removeDatabase } from './database.ts'

export interface TestService {
  /** Where it listens now, without a trailing slash; another port after a restart. */
  readonly url: string
  readonly config: Config
  /** Of an archive in a folder. */
  readonly archiveDir: string
  /** The data folder, which goes away with `stop`. */
  readonly dataDir: string
  /** Follows the service over restarts. */
  readonly client: Client
  /** What the service logged at level warn and above. */
  readonly complaints: string[]
  /** Stops the service and starts it on the same data, with other variables where given. */
  restart(env?: Record<string, string>): Promise<void>
  /** Stops the service and removes its data. */
  stop(): Promise<void>
}

/** A clock that stands still until a test moves it. */
export interface SetClock extends Clock {
  set(instant: string): void
  pass(ms: number): void
}

export function clockAt(instant: string): SetClock {
  let wall = Date.parse(instant)
  let monotonic = 0
  return {
    now: () => wall,
    monotonic: () => monotonic,
    set: (to) => {
      wall = Date.parse(to)
    },
    pass: (ms) => {
      wall += ms
      monotonic += ms
    },
  }
}

/** No limits, no schedule: a test sets what it is about. */
const QUIET = {
  PORT: '0',
  SCHEDULE: 'off',
  LIMIT_MESSAGES_ORIGIN_MINUTE: '0',
  LIMIT_MESSAGES_GLOBAL_MINUTE: '0',
  LIMIT_MESSAGES_GLOBAL_DAY: '0',
  LIMIT_DIRECTORIES_ORIGIN_HOUR: '0',
  LIMIT_DIRECTORIES_GLOBAL_DAY: '0',
}

/**
 * Starts a service through startService of server/service.ts.
 * @param env variables over those of a quiet service; nothing comes from this process's environment
 * @param clock the time that the service believes
 */
export async function startTestService(
  env: Record<string, string> = {},
  clock: Clock = system.clock,
): Promise<TestService> {
  const dataDir = mkdtempSync(join(tmpdir(), 'daysignal-'))
  const complaints: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void complaints.push(line) })
  const start = (config: Config): Promise<RunningService> =>
    startService(config, log, { ...system, clock })
  await databaseIn(env.DATA_DIR ?? dataDir)
  const data = dataEnvironment(env.DATA_DIR ?? dataDir)
  let config = readConfig({ ...QUIET, ...data, ...env })
  let running = await start(config)
  const urlOf = () => running.url.replace(/\/$/, '')
  return {
    get url() {
      return urlOf()
    },
    get config() {
      return config
    },
    get archiveDir() {
      if ('dir' in config.archive) return config.archive.dir
      throw new Error('the archive is not in a folder')
    },
    dataDir,
    client: clientOf(urlOf),
    complaints,
    async restart(other = {}) {
      await running.stop()
      config = readConfig({ ...QUIET, ...data, ...env, ...other })
      running = await start(config)
    },
    async stop() {
      await running.stop()
      await removeDatabase(dataDir)
      rmSync(dataDir, { recursive: true })
    },
  }
}
