// npm start: the server and its schedule, until a signal stops it.
import { readConfig } from './config.ts'
import { openLog } from './log.ts'
import { startService } from './service.ts'
import { stopSignal } from './signals.ts'
import { loadDotEnv } from './store/location.ts'
import { system } from './system.ts'

async function main(): Promise<void> {
  const stopped = stopSignal()
  loadDotEnv()
  const config = readConfig(process.env)
  const log = openLog(config.logLevel, process.stdout)
  const service = await startService(config, log, system)
  log.info(`${await stopped}: stopping`)
  await service.stop()
}

main().then(
  () => process.exit(0),
  (error: Error) => {
    console.error(`daysignal: ${error.message}`)
    process.exit(1)
  },
)
