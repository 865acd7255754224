// The program behind npm run demo: a temporary service with a month of sample activity, whose days it renders meanwhile.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { program, programLine } from '../../archive/base/command-line.ts'
import { runCommand } from '../../archive/base/terminal.ts'
import { readConfig } from '../config.ts'
import { loadDotEnv } from '../data/environment.ts'
import { openDatabase } from '../database/open.ts'
import { serveUntil } from '../main.ts'
import { openLog, standardOutput } from '../system/process-log.ts'
import { system } from '../system/system.ts'
import { demoEnvironment, demoMonth, demoToday } from './month.ts'
import { seedDemo } from './seed.ts'

const DEMO = programLine({
  name: 'demo',
  summary:
    'Serves a temporary data folder with a month of sample activity at HOST and PORT, and renders its thirty transmissions meanwhile, newest first. Press Ctrl-C to stop; the folder is then deleted.',
  words: [],
  options: {},
  prepare: () => undefined,
})

/** Runs the demo and exits the process. @param stopped resolves with the signal that stops it */
export async function main(stopped: Promise<NodeJS.Signals>): Promise<never> {
  await runCommand(program(DEMO, () => runDemo(stopped)))
  process.exit()
}

async function runDemo(stopped: Promise<NodeJS.Signals>): Promise<number> {
  loadDotEnv()
  const dataDir = await mkdtemp(join(tmpdir(), 'daysignal-demo-'))
  try {
    await serveDemo(dataDir, stopped)
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
  return 0
}

/** Serves until the signal. The schedule of the service renders the days. */
async function serveDemo(dataDir: string, stopped: Promise<NodeJS.Signals>): Promise<void> {
  const config = {
    ...readConfig(demoEnvironment(process.env, dataDir)),
    newestFirst: true,
  }
  const { clock, randomHex } = system
  const database = await openDatabase(config.database, { clock, create: true })
  await seedDemo(database, demoMonth(), demoToday(), { now: clock.now(), randomHex })
  await database.close()
  const log = openLog(config.logLevel, standardOutput())
  await serveUntil(stopped, config, log, ({ url }) =>
    log.info(`Open ${url} - the month of activity is invented, and its transmissions follow`),
  )
}
