// Generates load with wrk on one core, and measures what a request costs a server on the other core.
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median, type Row, ratios } from './report.ts'
import { type BenchServer, cpuOf } from './servers.ts'

const CLIENT_CORE = '1'

export interface Load {
  path: string
  connections: number
  headers?: Record<string, string>
  /** A script for wrk that replaces `path`. */
  script?: string
}

interface Cost {
  requestsPerSecond: number
  bytesPerSecond: number
  /** CPU time of the server's process, user and system [us]. */
  cpuPerRequest: number
}

/** A load whose requests a Lua script makes, which is written to the folder. */
export function scripted(folder: string, connections: number, lua: string): Load {
  const script = join(folder, `${randomUUID()}.lua`)
  writeFileSync(script, lua)
  return { path: '/', connections, script }
}

/** A script of GETs. @param path a Lua expression @param fields another one, for the header fields */
export const getting = (path: string, fields = 'nil'): string =>
  `function request()\n  return wrk.format('GET', ${path}, ${fields})\nend\n`

/** Returns the arguments with which taskset runs wrk. */
export function wrkArgs({ url }: BenchServer, load: Load, seconds: number): string[] {
  const { path, connections, headers = {}, script } = load
  return [
    ...['-c', CLIENT_CORE, 'wrk', '--latency'],
    ...['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s'],
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    ...(script ? ['-s', script] : []),
    url + path,
  ]
}

const runWrk = (...args: Parameters<typeof wrkArgs>): string =>
  execFileSync('taskset', wrkArgs(...args), { cwd: tmpdir(), encoding: 'utf8' })

/** Loads a server for some seconds. @throws Error if a response has an error status */
function measureCost(server: BenchServer, load: Load, seconds: number): Cost {
  const before = cpuOf(server)
  const output = runWrk(server, load, seconds)
  const cpu = cpuOf(server) - before
  if (/Non-2xx|Socket errors/.test(output))
    throw new Error(`${server.name}: ${output.replaceAll('\n', '; ')}`)
  const [, requests, duration] = /([0-9]+) requests in ([0-9.]+)s/.exec(output) as RegExpExecArray
  const [, amount, unit] = /([0-9.]+)([KMG]?)B read/.exec(output) as RegExpExecArray
  const bytes = Number(amount) * 1024 ** ' KMG'.indexOf(unit || ' ')
  return {
    requestsPerSecond: Number(requests) / Number(duration),
    bytesPerSecond: bytes / Number(duration),
    cpuPerRequest: cpu / Number(requests),
  }
}

/** Loads a server for some seconds. @returns the quantiles of its response times [ms] */
export function latencies(
  server: BenchServer,
  load: Load,
  seconds: number,
): { p50: number; p99: number } {
  const output = runWrk(server, load, seconds)
  const at = (percent: number) => {
    const [, value, unit] = new RegExp(`${percent}%\\s+([0-9.]+)(us|ms|s)`).exec(output) ?? []
    return Number(value) * { us: 0.001, ms: 1, s: 1000 }[unit as 'us' | 'ms' | 's']
  }
  return { p50: at(50), p99: at(99) }
}

export type Loaded = [server: BenchServer, load: Load]

/** The costs of one turn. */
export interface Pair {
  ours: Cost
  other: Cost
}

const PAIRS = 6
const SECONDS = 2

/** Measures two servers in turns, A B B A, so that other load on the machine affects both. */
export function compare(ours: Loaded, other: Loaded, pairs = PAIRS, seconds = SECONDS): Pair[] {
  measureCost(...ours, 1)
  measureCost(...other, 1)
  const measureOurs = () => measureCost(...ours, seconds)
  const measureOther = () => measureCost(...other, seconds)
  return Array.from({ length: pairs }, (_, i) => {
    if (i % 2 === 0) return { ours: measureOurs(), other: measureOther() }
    const first = measureOther()
    return { ours: measureOurs(), other: first }
  })
}

const COSTS = {
  CPU: { unit: 'us', of: (cost: Cost) => cost.cpuPerRequest },
  'MB/s': { unit: 'MB/s', of: (cost: Cost) => cost.bytesPerSecond / 1e6 },
  'requests/s': { unit: '/s', of: (cost: Cost) => cost.requestsPerSecond },
} as const

/** Makes a row with the ratio of our cost to the other server's, and the medians of both. */
export function ratioRow(
  label: string,
  kind: keyof typeof COSTS,
  goal: Row['goal'] & object,
  pairs: readonly Pair[],
): Row {
  const { unit, of } = COSTS[kind]
  const [ours, others] = [pairs.map((pair) => of(pair.ours)), pairs.map((pair) => of(pair.other))]
  const detail = `${median(ours).toFixed(1)} ${unit} vs ${median(others).toFixed(1)} ${unit}`
  return { label: `${label}, ${kind}`, values: ratios(ours, others), goal, detail }
}
