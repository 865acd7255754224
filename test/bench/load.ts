// Load by wrk: from one core, on a server that has the other to itself, and what a request costs that server.
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median, type Row, ratios } from './report.ts'
import { type BenchServer, CLIENT_CORE, cpuOf } from './servers.ts'

export interface Load {
  path: string
  connections: number
  headers?: Record<string, string>
  /** A script for wrk, in place of one path. */
  script?: string
}

export interface Cost {
  requestsPerSecond: number
  bytesPerSecond: number
  /** Processor time of the server's process, user and system [us]. */
  cpuPerRequest: number
}

/** A script in wrk's language, in a file. */
export function scriptFile(folder: string, text: string): string {
  const file = join(folder, `${randomUUID()}.lua`)
  writeFileSync(file, text)
  return file
}

/** The arguments of wrk. */
export function wrkArgs({ url }: BenchServer, load: Load, seconds: number): string[] {
  const { path, connections, headers = {}, script } = load
  return [
    ...['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s'],
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    ...(script ? ['-s', script] : []),
    url + path,
  ]
}

/** Asks a server for some seconds. @throws Error when it answers with an error */
export function ask(server: BenchServer, load: Load, seconds: number): Cost {
  const before = cpuOf(server)
  const args = ['-c', CLIENT_CORE, 'wrk', ...wrkArgs(server, load, seconds)]
  const output = execFileSync('taskset', args, { cwd: tmpdir() }).toString()
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

export type Loaded = [server: BenchServer, load: Load]

/** One pair of costs a turn. */
export interface Pair {
  ours: Cost
  other: Cost
}

const PAIRS = 6
const SECONDS = 2

/** Both servers in turns, A B B A, so that what disturbs the machine disturbs both. */
export function compare(ours: Loaded, other: Loaded, pairs = PAIRS, seconds = SECONDS): Pair[] {
  ask(...ours, 1)
  ask(...other, 1)
  return Array.from({ length: pairs }, (_, i) => {
    if (i % 2 === 0) return { ours: ask(...ours, seconds), other: ask(...other, seconds) }
    const second = ask(...other, seconds)
    return { ours: ask(...ours, seconds), other: second }
  })
}

const COSTS = {
  CPU: { unit: 'us', of: (cost: Cost) => cost.cpuPerRequest },
  'MB/s': { unit: 'MB/s', of: (cost: Cost) => cost.bytesPerSecond / 1e6 },
  'requests/s': { unit: '/s', of: (cost: Cost) => cost.requestsPerSecond },
} as const

/** The ratio of ours to the other's, with the medians of both. */
export function ratioRow(
  what: string,
  kind: keyof typeof COSTS,
  goal: Row['goal'] & object,
  pairs: readonly Pair[],
): Row {
  const { unit, of } = COSTS[kind]
  const [ours, others] = [pairs.map((pair) => of(pair.ours)), pairs.map((pair) => of(pair.other))]
  const detail = `${median(ours).toFixed(1)} ${unit} beside ${median(others).toFixed(1)} ${unit}`
  return { what: `${what}, ${kind}`, values: ratios(ours, others), goal, detail }
}
