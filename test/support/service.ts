// Starts a real service for tests, with a data folder of its own, a free port and settings as from the environment.
import pino from 'pino'
import { type Config, readConfig } from '../../server/config.ts'
import type { Database } from '../../server/database/database.ts'
import { type RunningService, startService } from '../../server/service.ts'
import { type Clock, system } from '../../server/system/system.ts'
import { type Client, clientOf } from './client.ts'
import { databaseIn, dataEnvironment, openExisting } from './database.ts'
import { type Publisher, publisherOf } from './publish.ts'
import { released, temporaryFolder } from './release.ts'

export interface TestService {
  /** The current address, without a trailing slash; a restart changes the port. */
  readonly url: string
  readonly config: Config
  /** The archive's folder; throws if the archive is in an object store. */
  readonly archiveDir: string
  /** The data folder, which is removed at the end of the test or of the file. */
  readonly dataDir: string
  readonly clock: Clock
  /** Keeps working after a restart, and so does `publish`. */
  readonly client: Client
  readonly publish: Publisher
  /** The log entries at level warn and above. */
  readonly complaints: string[]
  /**
   * Stops the service and starts it on the same data.
   * @param env variables to change
   * @param whileStopped called in between
   */
  restart(env?: Record<string, string>, whileStopped?: () => Promise<unknown>): Promise<void>
  /** Works on the database, on a connection of its own. */
  inDatabase<T>(work: (database: Database) => Promise<T>): Promise<T>
  /** Stops the service, which otherwise stops at the end of the test or of the file. */
  stop(): Promise<void>
}

/** The clocks of a machine and of its database, which stop until a test moves them. */
export interface SetClock extends Clock {
  /** Lets time pass on all clocks [ms]. */
  pass(ms: number): void
  /** Lets time pass on all clocks until an instant. */
  passTo(instant: string): void
  /** Sets the wall clock of the machine only. */
  step(instant: string): void
  /** Sets the clock of the database only. */
  stepDatabase(instant: string): void
  /** Lets time pass during which the machine is suspended [ms]. */
  suspend(ms: number): void
}

export function clockAt(instant: string): SetClock {
  const start = Date.parse(instant)
  let [wall, database, sinceBoot, monotonic] = [start, start, 1_000_000, 0]
  const suspend = (ms: number) => {
    wall += ms
    database += ms
    sinceBoot += ms
  }
  const pass = (ms: number) => {
    suspend(ms)
    monotonic += ms
  }
  return {
    now: () => wall,
    monotonic: () => monotonic,
    sinceBoot: () => sinceBoot,
    ofDatabase: () => database,
    pass,
    suspend,
    passTo: (to) => pass(Date.parse(to) - wall),
    step: (to) => {
      wall = Date.parse(to)
    },
    stepDatabase: (to) => {
      database = Date.parse(to)
    },
  }
}

/** A free port, no limits and no schedule: a test sets the variables that it is about. */
export const QUIET = {
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
 * @param env variables that override those of QUIET; nothing is read from this process's environment
 * @param clock the service's clock
 */
export async function startTestService(
  env: Record<string, string> = {},
  clock: Clock = system.clock,
): Promise<TestService> {
  const dataDir = temporaryFolder()
  const complaints: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void complaints.push(line) })
  const start = (config: Config): Promise<RunningService> =>
    startService(config, log, { ...system, clock })
  await databaseIn(env.DATA_DIR ?? dataDir)
  const data = dataEnvironment(env.DATA_DIR ?? dataDir)
  let config = readConfig({ ...QUIET, ...data, ...env })
  let running = await start(config)
  const urlOf = () => running.url.replace(/\/$/, '')
  const client = clientOf(urlOf)
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
    clock,
    client,
    publish: publisherOf(client),
    complaints,
    async restart(other = {}, whileStopped) {
      await running.stop()
      await whileStopped?.()
      config = readConfig({ ...QUIET, ...data, ...env, ...other })
      running = await start(config)
    },
    async inDatabase(work) {
      const database = await openExisting(config.database, clock)
      try {
        return await work(database)
      } finally {
        await database.close()
      }
    },
    stop: released(() => running.stop()),
  }
}
