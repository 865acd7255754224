// Compares reads while the snapshot of a day of 50,000 messages is made with reads at other times.
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { dayOf } from '../../archive/format/calendar.ts'
import { startRun } from '../../pipeline/schedule.ts'
import { boardOfMillion, DAY_MS, MILLION, YESTERDAY } from './boards.ts'
import type { Part } from './main.ts'
import { median, ratios } from './report.ts'
import type { BenchServer } from './servers.ts'

const PAIRS = 4
/** The pause between two reads. */
const PAUSE_MS = 4
const ALONE_MS = 4_000

export const benchSnapshot: Part = async (stage) => {
  const dataDir = await boardOfMillion(stage)
  const server = await stage.startOurs(dataDir, {}, { isFree: true })
  await latencies(server, sleep(1_000))
  const [alone, during] = [[] as number[], [] as number[]]
  for (let pair = 0; pair < PAIRS; pair++) {
    alone.push(p99(await latencies(server, sleep(ALONE_MS))))
    const day = dayOf(YESTERDAY - (PAIRS - 1 - pair) * DAY_MS)
    during.push(p99(await latencies(server, makeSnapshot(dataDir, day))))
  }
  const detail = `${median(during).toFixed(2)} ms vs ${median(alone).toFixed(2)} ms`
  const label = 'read p99 while a snapshot is made / alone'
  return [{ label, values: ratios(during, alone), goal: { most: 2 }, detail }]
}

async function makeSnapshot(dataDir: string, day: string): Promise<void> {
  const environment = { PATH: process.env.PATH, DATA_DIR: dataDir }
  const child = startRun(['--day', day], environment)
  child.stderr?.pipe(process.stderr)
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`the snapshot exited with ${code}`)
}

/** Reads a random page every few milliseconds until the work has ended. @returns the latency of each read [ms] */
async function latencies({ url }: BenchServer, work: Promise<unknown>): Promise<number[]> {
  let isWorking = true
  const ended = work.finally(() => {
    isWorking = false
  })
  // `ended` is awaited below; until then a failure must not count as an unhandled rejection.
  ended.catch(() => {})
  const found: number[] = []
  const agent = new Agent({ keepAlive: true })
  while (isWorking) {
    const after = MILLION - 50 - Math.floor(Math.random() * 10_000)
    const began = performance.now()
    await read(`${url}/api/v1/messages?limit=50&after=${after}`, agent)
    found.push(performance.now() - began)
    await sleep(PAUSE_MS)
  }
  agent.destroy()
  await ended
  return found
}

/** Uses node:http, because the garbage collection that fetch causes would dominate the slowest reads. */
async function read(url: string, agent: Agent): Promise<void> {
  const [response] = (await once(get(url, { agent }), 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
}

const p99 = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] as number
