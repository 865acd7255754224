// Compares pages of 50 anywhere in 1,000,000 messages with a raw read of the same rows in bare h3, on both engines.
import { join } from 'node:path'
import { postgresPrograms, startCluster } from '../support/postgres.ts'
import { boardOfMillion, MILLION, makePostgresBoard } from './boards.ts'
import { compare, getting, latencies, ratioRow, scripted } from './load.ts'
import type { Part } from './main.ts'
import type { Row } from './report.ts'
import type { BenchServer, Stage } from './servers.ts'

/** A Lua function with the cursors of a crawl from the first page to the last. */
const CRAWL = `
local at = -50
local function next_page()
  at = (at + 50) % ${MILLION}
  return at
end
`
/** Lua expressions for the path of a request. Every page anywhere is as likely as any other. */
const AFTER = `math.random(0, ${MILLION - 50})`
const PLACES = {
  'page of 50 anywhere in all messages': `'/api/v1/messages?limit=50&after=' .. ${AFTER}`,
  'page of 50 of a crawl over all messages': `'/api/v1/messages?limit=50&after=' .. next_page()`,
  'page of 50 anywhere in one of 500 directories': `'/api/v1/messages?limit=50&directory=d' .. math.random(1, 500) .. '&after=' .. math.random(0, 700000)`,
  'page of 50 anywhere in an investigation of 11,400 entries': `'/investigations/' .. math.random(1, 7) .. '.json?limit=50&after=' .. math.random(0, 700000)`,
}
const CONNECTIONS = 16
const PAIRS = 6
const SECONDS = 2

export const benchPages: Part = async (stage) => [
  ...(await onSqlite(stage)),
  ...(await onPostgres(stage)),
]

async function onSqlite(stage: Stage): Promise<Row[]> {
  const dataDir = await boardOfMillion(stage)
  const ours = await stage.startOurs(dataDir)
  const bare = await stage.startBare('bare-reads', [join(dataDir, 'daysignal.sqlite')])
  return rowsOf(stage, ours, bare, '')
}

async function onPostgres(stage: Stage): Promise<(Row | string)[]> {
  if (!postgresPrograms()) return ['PostgreSQL is not installed (Debian: postgresql)']
  const cluster = await startCluster({ durable: true })
  const url = cluster.primary.url()
  await makePostgresBoard(url)
  const ours = await stage.startOurs(join(stage.folder, 'data'), { DATABASE_URL: url })
  return rowsOf(stage, ours, await stage.startBare('bare-reads', [url]), 'PostgreSQL: ')
}

const rowsOf = (stage: Stage, ours: BenchServer, bare: BenchServer, engine: string): Row[] =>
  Object.entries(PLACES).flatMap(([place, path]) => {
    const load = scripted(stage.folder, CONNECTIONS, `${CRAWL}${getting(path)}`)
    const slow = Array.from({ length: PAIRS }, () => latencies(ours, load, SECONDS))
    return [
      ratioRow(
        `${engine}${place} / raw read in bare h3`,
        'CPU',
        { most: 1.3 },
        compare([ours, load], [bare, load]),
      ),
      {
        label: `${engine}${place}, ${CONNECTIONS} connections, p99 / p50`,
        values: slow.map(({ p50, p99 }) => p99 / p50),
        goal: { most: 4 },
      },
    ]
  })
