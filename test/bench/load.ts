// Servers under load: started on one core, asked by wrk from the other, and what a request costs them.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Whether a program can be run here. */
export const isInstalled = (program: string, ...args: string[]): boolean =>
  spawnSync(program, args, { stdio: 'ignore' }).error === undefined

export interface BenchServer {
  name: string
  /** Without a trailing slash. */
  url: string
  process: ChildProcess
}

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

/** Clock ticks of /proc/PID/stat [us]. */
const TICK_US = 10_000
const SERVER_CORE = '0'
const CLIENT_CORE = '1'

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  return port
}

/** Starts a program that listens on `port`, and waits until it answers. */
export async function startServer(
  name: string,
  port: number,
  [program = '', ...args]: string[],
  env: NodeJS.ProcessEnv = {},
): Promise<BenchServer> {
  const child = spawn('taskset', ['-c', SERVER_CORE, program, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  })
  const url = `http://127.0.0.1:${port}`
  while (!(await fetch(url).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error(`${name} did not start`)
    await sleep(50)
  }
  return { name, url, process: child }
}

export async function stopServer({ process: child }: BenchServer): Promise<void> {
  child.kill('SIGTERM')
  if (child.exitCode === null) await once(child, 'exit')
}

/** Asks a server for some seconds. @throws Error when it answers with an error */
export function ask({ url, process: child }: BenchServer, load: Load, seconds: number): Cost {
  const { path, connections, headers = {}, script } = load
  const before = cpuOf(child)
  const output = execFileSync('taskset', [
    ...['-c', CLIENT_CORE, 'wrk', '-t1', `-c${connections}`, `-d${seconds}s`],
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    ...(script ? ['-s', script] : []),
    url + path,
  ]).toString()
  const cpu = cpuOf(child) - before
  if (/Non-2xx|Socket errors/.test(output)) throw new Error(`${url}${path}: ${output}`)
  const [, requests, duration] = /([0-9]+) requests in ([0-9.]+)s/.exec(output) as RegExpExecArray
  const [, amount, unit] = /([0-9.]+)([KMG]?)B read/.exec(output) as RegExpExecArray
  const bytes = Number(amount) * 1024 ** ' KMG'.indexOf(unit || ' ')
  return {
    requestsPerSecond: Number(requests) / Number(duration),
    bytesPerSecond: bytes / Number(duration),
    cpuPerRequest: cpu / Number(requests),
  }
}

function cpuOf({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')
  return (Number(fields[13]) + Number(fields[14])) * TICK_US
}

/** Resident memory [MiB]. */
export function residentOf({ pid }: ChildProcess): number {
  const [, kib] = /VmRSS:\s+([0-9]+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1024
}

/** Both servers in turns, A B B A, so that what disturbs the machine disturbs both: one pair of costs a turn. */
export function compare(
  [ours, oursLoad]: [BenchServer, Load],
  [other, otherLoad]: [BenchServer, Load],
  pairs: number,
  seconds: number,
): { ours: Cost; other: Cost }[] {
  ask(ours, oursLoad, 1)
  ask(other, otherLoad, 1)
  return Array.from({ length: pairs }, (_, i) => {
    if (i % 2 === 0)
      return { ours: ask(ours, oursLoad, seconds), other: ask(other, otherLoad, seconds) }
    const second = ask(other, otherLoad, seconds)
    return { ours: ask(ours, oursLoad, seconds), other: second }
  })
}
