// The program behind npm start: the server and its schedule, until a signal stops it.
import { readConfig } from './config.ts'
import { openLog } from './log.ts'
import { serveUntil } from './serve.ts'
import { loadDotEnv } from './store/location.ts'

/** Ends the process. @param stopped resolves with the signal that stops the service */
export async function main(stopped: Promise<NodeJS.Signals>): Promise<never> {
  try {
    loadDotEnv()
    const config = readConfig(process.env)
    await serveUntil(stopped, config, openLog(config.logLevel, process.stdout))
    process.exit(0)
  } catch (error) {
    console.error(`daysignal: ${(error as Error).message}`)
    process.exit(1)
  }
}
