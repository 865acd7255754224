// The program behind npm run demo: a throw-away service with a month of sample activity, whose transmissions are made
// while it runs.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { printsHelp, runCommand } from '../../pipeline/commands/terminal.ts'
import { readConfig } from '../config.ts'
import { openLog, standardOutput } from '../log.ts'
import { serveUntil } from '../serve.ts'
import { openStore } from '../store/database.ts'
import { loadDotEnv } from '../store/location.ts'
import { system } from '../system.ts'
import { demoMonth, demoToday } from './month.ts'
import { seedDemo } from './seed.ts'

const USAGE = `Usage: npm run demo

Serves a throw-away data folder with a month of sample activity at HOST and
PORT, and makes its thirty transmissions meanwhile, the newest first. Ends with
Ctrl-C, and takes the folder away.
`

/** Ends the process. @param stopped resolves with the signal that stops the demo */
export async function main(stopped: Promise<NodeJS.Signals>): Promise<never> {
  await runCommand('demo', (args) => runDemo(args, stopped))
  process.exit()
}

async function runDemo(args: string[], stopped: Promise<NodeJS.Signals>): Promise<number> {
  if (printsHelp(args, USAGE)) return 0
  loadDotEnv()
  const dataDir = await mkdtemp(join(tmpdir(), 'daysignal-demo-'))
  try {
    await serveDemo(dataDir, stopped)
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
  return 0
}

/** Variables of a real service: its data, its log's name, its key and its metrics are none of the demo's. */
const UNSET = {
  DATABASE_URL: '',
  DATABASE_READ_URL: '',
  ARCHIVE_DIR: '',
  ARCHIVE_URL: '',
  SCHEDULE: '',
  LOG_ORIGIN: '',
  SIGNING_KEY_FILE: '',
  METRICS_PORT: '',
}

/** Serves until the signal; the schedule of the service finds the days to be made. */
async function serveDemo(dataDir: string, stopped: Promise<NodeJS.Signals>): Promise<void> {
  const config = {
    ...readConfig({ ...process.env, ...UNSET, DATA_DIR: dataDir }),
    newestFirst: true,
  }
  const store = await openStore(config.database, { create: true })
  await seedDemo(store, demoMonth(), demoToday(), system.clock.now())
  await store.close()
  const log = openLog(config.logLevel, standardOutput())
  await serveUntil(stopped, config, log, ({ url }) =>
    log.info(`Open ${url} - the month behind it is made up, its transmissions follow`),
  )
}
