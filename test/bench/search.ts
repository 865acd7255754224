// Measures the search on 1,000,000 messages of 25 words of natural text, on both engines: an answer, the index's share of a
// POST and of the database, and how long posts wait for searches.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import type { Database } from '../../server/database/database.ts'
import { openDatabase } from '../../server/database/open.ts'
import { indexMessages } from '../../server/database/words/messages.ts'
import { system } from '../../server/system/system.ts'
import { postgresPrograms, startCluster, statement } from '../support/postgres.ts'
import { random } from '../support/random.ts'
import { MILLION } from './boards.ts'
import { ownCpu } from './cpu.ts'
import { latencies, scripted, wrkArgs } from './load.ts'
import type { Part } from './main.ts'
import type { Row } from './report.ts'
import { type BenchServer, cpuOf, processCpu, ROOT, type Stage } from './servers.ts'

const STEP = 10_000
const DIRECTORIES = 400
/** A directory with 50 messages. */
const QUIET = 'd401'
/** Every text has one of two words that never meet, and one of 50,000 a third. */
const MARKERS = (i: number): string =>
  `${i % 2 ? 'whinchat' : 'wheatear'}${i % 50_000 === 17 ? ' kittiwake' : ''}`

/** Queries with the most that an answer may cost [ms of CPU], on SQLite and on PostgreSQL. */
const QUERIES: [name: string, query: string, sqlite: number, postgres: number][] = [
  ['a rare word', 'kittiwake', 50, 50],
  ['a common word', 'wheatear', 50, 50],
  ['a phrase', '"the database"', 50, 50],
  ['a prefix', 'con*', 50, 50],
  ['a common word in a quiet directory', `in:${QUIET} whinchat`, 50, 50],
  ['two common words that never meet', 'whinchat wheatear', 50, 250],
]
const [RUNS, REQUESTS] = [5, 10]

/** Texts of 24 words in a row from the documents of this project, and a word. */
function textsOf(): (i: number) => string {
  const names = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  const files = names.filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
  const all = files.map((name) => readFileSync(join(ROOT, name), 'utf8')).join(' ')
  const words = all.match(/[\p{L}\p{Nd}']+/gu) ?? []
  const { below } = random(31)
  return (i) => {
    const from = below(words.length - 24)
    return `${words.slice(from, from + 24).join(' ')} ${MARKERS(i)}`
  }
}

/** CPU time so far of all processes that take part [us]. */
type Cpu = () => number

/** Fills an empty database, and indexes it as a server does. @returns CPU time of the index [us per message] */
async function fill(database: Database, isSqlite: boolean, cpu: Cpu): Promise<number> {
  const textOf = textsOf()
  await database.write(async (tx) => {
    for (let id = 1; id <= DIRECTORIES + 1; id++)
      await sql`insert into directories (id, path, author_label, created_at, hidden, visible)
        values (${id}, ${`d${id}`}, '', 0, 0, 1)`.execute(tx)
  })
  let used = 0
  for (let from = 1; from <= MILLION; from += STEP) {
    const rows = Array.from({ length: STEP }, (_, i) => rowOf(from + i, textOf(from + i)))
    const each = isSqlite
      ? sql`select value ->> 'id' as id, value ->> 'directory' as directory, value ->> 'body' as body,
          value ->> 'at' as at from json_each(${JSON.stringify(rows)})`
      : sql`select id, directory, body, at
          from json_to_recordset(cast(${JSON.stringify(rows)} as json)) as x(id bigint, directory bigint, body text, at bigint)`
    await database.write(async (tx) => {
      await sql`insert into messages (id, directory_id, body, body_hash, body_bytes, author_label, received_at, publish_at,
          salt, hidden, visible)
        select id, directory, body, ${'0'.repeat(64)}, length(body), 'a reader', at, at, ${'0'.repeat(32)}, 0, 1
        from (${each}) as added`.execute(tx)
      const before = cpu()
      await indexMessages(tx, { first: BigInt(from), last: BigInt(from + STEP - 1) })
      used += cpu() - before
    })
  }
  await database.write((tx) =>
    sql`update sequences set last = ${MILLION} where name = 'message'`.execute(tx),
  )
  return used / MILLION
}

const rowOf = (id: number, body: string) => ({
  id,
  directory: id % 20_000 === 5 ? DIRECTORIES + 1 : 1 + (id % DIRECTORIES),
  body,
  at: 1.7e12 + id * 1_000,
})

async function queryRows(
  { url }: BenchServer,
  engine: 'SQLite' | 'PostgreSQL',
  cpu: Cpu,
): Promise<Row[]> {
  const rows: Row[] = []
  for (const [name, query, sqlite, postgres] of QUERIES) {
    const ask = async () => {
      const answer = await fetch(`${url}/api/v1/search?${new URLSearchParams({ q: query })}`)
      if (answer.status !== 200) throw new Error(`${query}: ${answer.status}`)
      await answer.arrayBuffer()
    }
    await ask()
    const values: number[] = []
    for (let run = 0; run < RUNS; run++) {
      const before = cpu()
      for (let i = 0; i < REQUESTS; i++) await ask()
      values.push((cpu() - before) / REQUESTS / 1_000)
    }
    const most = engine === 'SQLite' ? sqlite : postgres
    rows.push({ label: `${engine}: search for ${name}, CPU [ms]`, values, goal: { most } })
  }
  return rows
}

/** The words may have apostrophes, which long brackets do not mind. */
const POST = `
local n = 0
function request()
  n = n + 1
  local headers = { ['Content-Type'] = 'application/json', ['X-Forwarded-For'] = '10.0.' .. math.floor(n / 256) % 256 .. '.' .. n % 256 }
  return wrk.format('POST', '/api/v1/messages', headers, [[{"directory":"d1","body":"${textsOf()(1)} ]] .. n .. '"}')
end
`
const [TURNS, SECONDS] = [3, 4]

/** How much longer a post takes with the index, and while 64 searches are asked all the time. */
async function postRows(
  { folder }: Stage,
  server: BenchServer,
  engine: string,
  { indexCpu, cpu }: { indexCpu: number; cpu: Cpu },
): Promise<Row[]> {
  const load = scripted(folder, 16, POST)
  latencies(server, load, 1)
  const searches = { path: '/api/v1/search?q=wheatear', connections: 64 }
  const turns: { alone: number; busy: number }[] = []
  for (let turn = 0; turn < TURNS; turn++) {
    const alone = latencies(server, load, SECONDS).p99
    const asking = spawn('taskset', wrkArgs(server, searches, 2 * SECONDS), { stdio: 'ignore' })
    turns.push({ alone, busy: latencies(server, load, SECONDS).p99 })
    await once(asking, 'exit')
  }
  const perPost = await costOfPosts(server, cpu)
  return [
    {
      label: `${engine}: CPU of a POST of 25 words / without the index`,
      values: [perPost / (perPost - indexCpu)],
      goal: { most: 1.15 },
      detail: `${perPost.toFixed(0)} us, of which the index ${indexCpu.toFixed(0)} us`,
    },
    {
      label: `${engine}: p99 of a POST during 64 searches at once / alone`,
      values: turns.map(({ alone, busy }) => busy / alone),
      goal: { most: 2 },
      detail: turns
        .map(({ alone, busy }) => `${busy.toFixed(1)} vs ${alone.toFixed(1)} ms`)
        .join(', '),
    },
  ]
}

const POSTS = 2_000

/** Publishes in 16 connections. @returns CPU time of a post [us] */
async function costOfPosts({ url }: BenchServer, cpu: Cpu): Promise<number> {
  const textOf = textsOf()
  const before = cpu()
  const work = Array.from({ length: 16 }, async (_, lane) => {
    for (let i = 0; i < POSTS / 16; i++) {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': `10.1.${lane}.${i}` }
      const body = JSON.stringify({ directory: 'd2', body: `${textOf(i)} ${lane} ${i}` })
      const answer = await fetch(`${url}/api/v1/messages`, { method: 'POST', headers, body })
      await answer.arrayBuffer()
    }
  })
  await Promise.all(work)
  return (cpu() - before) / POSTS
}

export const benchSearch: Part = async (stage) => [
  ...(await onSqlite(stage)),
  ...(await onPostgres(stage)),
]

async function onSqlite(stage: Stage): Promise<Row[]> {
  const dataDir = join(stage.folder, 'sqlite')
  const file = join(dataDir, 'daysignal.sqlite')
  const database = await openDatabase(file, { clock: system.clock, create: true })
  const indexCpu = await fill(database, true, ownCpu)
  await database.close()
  const size = sizeOfSqlite(file)
  const server = await stage.startOurs(dataDir)
  const cpu = () => cpuOf(server)
  return [
    ...(await queryRows(server, 'SQLite', cpu)),
    ...(await postRows(stage, server, 'SQLite', { indexCpu, cpu })),
    { label: 'SQLite: size with the index / without', goal: { most: 1.4 }, ...size },
  ]
}

function sizeOfSqlite(file: string): Pick<Row, 'values' | 'detail'> {
  const db = new DatabaseSync(file, { readOnly: true })
  const sum = (condition: string) =>
    Number(db.prepare(`select sum(pgsize) as sum from dbstat where ${condition}`).get()?.sum)
  const [words, all] = [sum("name like 'message_words%'"), sum('true')]
  db.close()
  return sizes(all, words)
}

const sizes = (all: number, words: number) => ({
  values: [all / (all - words)],
  detail: `${(all / 1e6).toFixed(0)} MB, of which the index ${(words / 1e6).toFixed(0)} MB`,
})

async function onPostgres(stage: Stage): Promise<(Row | string)[]> {
  if (!postgresPrograms()) return ['PostgreSQL is not installed (Debian: postgresql)']
  // Its workers come and go, and with them the CPU time of this cluster.
  const cluster = await startCluster({ durable: true, settings: { autovacuum: 'off' } })
  const url = cluster.primary.url()
  const database = await openDatabase(url, { clock: system.clock, create: true })
  const size = async (name: string) => Number(await statement(url, `select ${name}`))
  const parent = await size(`split_part(pg_read_file('postmaster.pid'), E'\\n', 1)`)
  const ofDatabase = () =>
    readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8')
      .split(' ')
      .filter((pid) => pid !== '')
      .reduce((sum, pid) => sum + processCpu(Number(pid)), 0)
  const indexCpu = await fill(database, false, () => ownCpu() + ofDatabase())
  await database.close()
  await statement(url, 'vacuum analyze')
  const words = await size(`pg_total_relation_size('message_words')`)
  const all = await size('pg_database_size(current_database())')
  const server = await stage.startOurs(join(stage.folder, 'postgres'), { DATABASE_URL: url })
  const cpu = () => cpuOf(server) + ofDatabase()
  return [
    ...(await queryRows(server, 'PostgreSQL', cpu)),
    ...(await postRows(stage, server, 'PostgreSQL', { indexCpu, cpu })),
    { label: 'PostgreSQL: size with the index / without', ...sizes(all, words) },
  ]
}
