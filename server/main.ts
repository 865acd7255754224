// npm start: runs the server and its schedule until a signal stops it.
import { printsHelp, runCommand } from '../archive/base/terminal.ts'
import { readConfig } from './config.ts'
import { loadDotEnv } from './data/location.ts'
import { openLog, standardOutput } from './log.ts'
import { serveUntil } from './serve.ts'

const USAGE = `Usage: npm start

Serves at HOST and PORT, and publishes the transmission of each finished day at
SCHEDULE. Settings are environment variables, or lines of .env; see
server/API.md, section 10.7. Press Ctrl-C to stop.
`

/** Runs the command, then exits the process. @param stopped resolves with the signal that stops the service */
export async function main(stopped: Promise<NodeJS.Signals>): Promise<never> {
  await runCommand({ name: 'daysignal', run: (args) => run(args, stopped) })
  process.exit()
}

async function run(args: string[], stopped: Promise<NodeJS.Signals>): Promise<number> {
  if (printsHelp(args, USAGE)) return 0
  loadDotEnv()
  const config = readConfig(process.env)
  await serveUntil(stopped, config, openLog(config.logLevel, standardOutput()))
  return 0
}
