// npm start: runs the server and its schedule until a signal stops it.
import { program, programLine } from '../archive/base/command-line.ts'
import { runCommand } from '../archive/base/terminal.ts'
import { readConfig } from './config.ts'
import { loadDotEnv } from './data/location.ts'
import { openLog, standardOutput } from './log.ts'
import { serveUntil } from './serve.ts'

const START = programLine({
  name: 'daysignal',
  start: 'npm start',
  summary:
    'Serves at HOST and PORT, and publishes the transmission of each finished day at SCHEDULE.',
  words: [],
  options: {},
  closing: [
    'Settings are environment variables, or lines of .env; see server/API.md, section 10.7. Press Ctrl-C to stop.',
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
