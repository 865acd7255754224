// A server whose clocks are in a file (clock-file.ts), for tests that step them and kill it.
// Usage: node test/support/clocked-server.ts FILE
import { readConfig } from '../../server/config.ts'
import { startService } from '../../server/service.ts'
import { openLog, standardOutput } from '../../server/system/process-log.ts'
import { system } from '../../server/system/system.ts'
import { clockIn } from './clock-file.ts'

const [file = ''] = process.argv.slice(2)
const config = readConfig(process.env)
const log = openLog(config.logLevel, standardOutput())
await startService(config, log, { ...system, clock: clockIn(file) })
