// Compares pages of 50 anywhere in 1,000,000 messages with a raw read of the same rows in bare h3.
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import { boardOfMillion, MILLION } from './boards.ts'
import { compare, type Load, latencies, ratioRow, scriptFile } from './load.ts'
import type { Part } from './main.ts'

/** Lua expressions for the path of a request. Every page anywhere is as likely as any other. */
const AFTER = `math.random(0, ${MILLION - 50})`
const PLACES = {
  'all messages': `'/api/v1/messages?limit=50&after=' .. ${AFTER}`,
  'one of 500 directories': `'/api/v1/messages?limit=50&directory=d' .. math.random(1, 500) .. '&after=' .. math.random(0, 700000)`,
  'an investigation of 11,400 entries': `'/investigations/' .. math.random(1, 7) .. '.json?limit=50&after=' .. math.random(0, 700000)`,
}
const CONNECTIONS = 16
const PAIRS = 6
const SECONDS = 2

export const benchPages: Part = async (stage) => {
  const dataDir = await boardOfMillion(stage)
  const ours = await stage.startOurs(dataDir)
  const port = await freePort()
  const program = join(import.meta.dirname, 'bare-reads.ts')
  const file = join(dataDir, 'daysignal.sqlite')
  const bare = await stage.start('raw reads', port, [process.execPath, program, String(port), file])
  return Object.entries(PLACES).flatMap(([place, path]) => {
    const script = scriptFile(
      stage.folder,
      `function request()\n  return wrk.format('GET', ${path})\nend\n`,
    )
    const load: Load = { path: '/', connections: CONNECTIONS, script }
    const label = `page of 50 anywhere in ${place}`
    const slow = Array.from({ length: PAIRS }, () => latencies(ours, load, SECONDS))
    return [
      ratioRow(
        `${label} / raw read in bare h3`,
        'CPU',
        { most: 1.3 },
        compare([ours, load], [bare, load]),
      ),
      {
        label: `${label}, ${CONNECTIONS} connections, p99 / p50`,
        values: slow.map(({ p50, p99 }) => p99 / p50),
        goal: { most: 4 },
      },
    ]
  })
}
