// Measures the words of days: one large day as it is sent, a mirror of many days, boards from that mirror, and a bulk hide.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { recordsUrl } from '../../archive/format/paths.ts'
import { freePort } from '../support/free-port.ts'
import { postgresPrograms, startCluster, statement } from '../support/postgres.ts'
import { MESSAGES_PER_DAY, MILLION } from './boards.ts'
import { measureProgram } from './cpu.ts'
import type { Part } from './main.ts'
import { highestDuring, request, withoutReading } from './memory.ts'
import { median, type Row, ratios } from './report.ts'
import { makeSealedBoard } from './sealed-boards.ts'
import { type BenchServer, residentOf, scriptOf } from './servers.ts'

const RUNS = 9
const DAYS = 400
const MANY = 10_000
const READERS = 100
const STALLED_MS = 5_000
/** The service is not idle until this long after its start. */
const STARTED_MS = 20_000

const program = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const OPERATOR = program('server/operator/main.ts')

export const benchWords: Part = async (stage) => {
  const day = join(stage.folder, 'day')
  const [newest = ''] = await makeSealedBoard(day, {
    messages: MESSAGES_PER_DAY,
    perDay: MESSAGES_PER_DAY,
  })
  const ours = await stage.startOurs(day)
  const port = await freePort()
  const file = join(day, 'daysignal.sqlite')
  const command = [
    program('test/bench/bare-words.ts'),
    String(port),
    file,
    '1',
    String(MESSAGES_PER_DAY),
  ]
  const bare = await stage.start('bare', port, [process.execPath, ...command])
  return [
    ...(await rowsOfDay(ours, bare, recordsUrl(newest))),
    ...bulkRows(day),
    ...(await rowsOfMirror(stage)),
  ]
}

async function rowsOfDay(ours: BenchServer, bare: BenchServer, path: string): Promise<Row[]> {
  await sleep(STARTED_MS)
  const idle = residentOf(ours)
  const [firsts, speeds, others] = [[] as number[], [] as number[], [] as number[]]
  const reading = await highestDuring(ours, async () => {
    for (let run = 0; run < RUNS; run += 1) {
      const { first, whole } = await read(ours.url + path)
      firsts.push(first)
      speeds.push(MESSAGES_PER_DAY / whole)
      others.push(MESSAGES_PER_DAY / (await read(bare.url)).whole)
    }
  })
  const stalled = await highestDuring(ours, () =>
    withoutReading(ours, READERS, () => request(path), STALLED_MS),
  )
  const label = `words of a day of ${MESSAGES_PER_DAY} messages`
  const detail = `${Math.round(median(speeds))} rows/s vs ${Math.round(median(others))}`
  return [
    { label: `${label}, first byte [ms]`, values: firsts, goal: { most: 100 } },
    {
      label: `${label}, rows/s / bare`,
      values: ratios(speeds, others),
      goal: { least: 0.5 },
      detail,
    },
    { label: `${label}, memory above idle [MiB]`, values: [reading - idle], goal: { most: 32 } },
    {
      label: `${label}, memory of a stalled reader [MiB]`,
      values: [(stalled - idle) / READERS],
      detail: `${READERS} readers`,
    },
  ]
}

/** @returns the times until the first byte [ms] and the last one [s] */
async function read(url: string): Promise<{ first: number; whole: number }> {
  const began = performance.now()
  const headers = { 'accept-encoding': 'identity' }
  const response = await fetch(url, { headers })
  let first: number | undefined
  for await (const _ of response.body as ReadableStream<Uint8Array>)
    first ??= performance.now() - began
  return { first: first ?? 0, whole: (performance.now() - began) / 1000 }
}

/** The board is served meanwhile. */
function bulkRows(dataDir: string): Row[] {
  const env = { ...process.env, DATA_DIR: dataDir }
  const range = ['--from', '101', '--to', String(100 + MANY), '--reason', 'a bench']
  return ['hide', 'show'].map((act) => ({
    label: `${act} ${MANY} messages as one action [s]`,
    values: [measureProgram([OPERATOR, act, 'messages', ...range], env).wall],
    goal: { most: 2 },
  }))
}

async function rowsOfMirror(stage: Parameters<Part>[0]): Promise<Row[]> {
  const source = join(stage.folder, 'source')
  await makeSealedBoard(source, { messages: MILLION, perDay: MILLION / DAYS })
  const server = await stage.startOurs(source, {}, { isFree: true })
  const dir = join(stage.folder, 'mirror')
  const { args, env } = scriptOf('mirror')
  const run = () =>
    measureProgram([...args, server.url, dir, '--records'], { ...process.env, ...env })
  const first = run()
  const without = run()
  const label = `mirror 1,000,000 messages of ${DAYS} days`
  const detail = `in ${first.wall.toFixed(0)} s; again without news in ${without.wall.toFixed(1)} s`
  return [
    { label: `${label}, memory [MiB]`, values: [first.memory], goal: { most: 200 }, detail },
    ...(await importRows(stage.folder, dir)),
  ]
}

async function importRows(folder: string, mirror: string): Promise<Row[]> {
  const row = (engine: string, most: number, env: Record<string, string>): Row => {
    const { wall, cpu, memory } = measureProgram([OPERATOR, 'import', mirror], {
      ...process.env,
      ...env,
    })
    const label = `board of 1,000,000 messages from a mirror, ${engine} [s]`
    return {
      label,
      values: [wall],
      goal: { most },
      detail: `${cpu.toFixed(0)} s CPU, ${memory.toFixed(0)} MiB`,
    }
  }
  const sqlite = row('SQLite', 90, { DATA_DIR: join(folder, 'board') })
  if (!postgresPrograms()) return [sqlite]
  const cluster = await startCluster({ durable: true })
  await statement(cluster.primary.url(), 'create database board')
  const DATABASE_URL = cluster.primary.url('board')
  try {
    return [sqlite, row('PostgreSQL', 240, { DATA_DIR: join(folder, 'postgres'), DATABASE_URL })]
  } finally {
    await cluster.stop()
  }
}
