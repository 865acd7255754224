// Starts the servers of a benchmark, pinned to a core that the load generator does not use, and stops them at its end.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS } from '../../server/publishing/limits.ts'
import { freePort } from '../support/listen.ts'
import { endFile, released, temporaryFolder } from '../support/release.ts'

export const ROOT = join(import.meta.dirname, '../..')

/** The arguments of node in an npm script. */
export const scriptOf = (name: 'start' | 'verify'): string[] => [
  join(ROOT, 'server/deploy/run.js'),
  name,
]
export const START = scriptOf('start')

const SERVER_CORE = '0'
/** Clock ticks of /proc/PID/stat [us]. */
const TICK_US = 10_000

/** Whether a program can be run. */
export const isInstalled = (program: string, ...args: string[]): boolean =>
  spawnSync(program, args, { stdio: 'ignore' }).error === undefined

export interface BenchServer {
  name: string
  /** Without a trailing slash. */
  url: string
  process: ChildProcess
  /** Whether `process` is a wrapper such as strace, and the server is its child. */
  isWrapped: boolean
}

/** The environment of a part of the benchmark; its folder and its servers end with the part. */
export interface Stage {
  folder: string
  /** A folder that all parts share. */
  shared: string
  /** Starts a program that listens on `port`, and waits until it responds. */
  start(name: string, port: number, command: string[], options?: StartOptions): Promise<BenchServer>
  /** Starts the service on a data folder. @param env overrides what environmentOf sets */
  startOurs(
    dataDir: string,
    env?: Record<string, string>,
    options?: StartOptions,
  ): Promise<BenchServer>
  /** Starts a program of this folder to compare with. @param args its arguments after the port */
  startBare(program: string, args: string[], options?: StartOptions): Promise<BenchServer>
}

interface StartOptions {
  env?: Record<string, string>
  /** A wrapper in front of the command, such as strace and its arguments. */
  wrapper?: readonly string[]
}

/** Calls `work` with a new stage, and always releases what it has started and made. */
export async function onStage<T>(shared: string, work: (stage: Stage) => Promise<T>): Promise<T> {
  const start: Stage['start'] = async (...args) => {
    const server = await startServer(...args)
    released(() => stopServer(server))
    return server
  }
  const startBare: Stage['startBare'] = async (program, args, options) => {
    const port = await freePort()
    const file = join(import.meta.dirname, `${program}.ts`)
    return start(program, port, [process.execPath, file, String(port), ...args], options)
  }
  const startOurs: Stage['startOurs'] = async (dataDir, env = {}, options = {}) => {
    const port = await freePort()
    const all = { ...environmentOf(dataDir, port), ...env }
    return start('daysignal', port, [process.execPath, ...START], { ...options, env: all })
  }
  try {
    return await work({ folder: temporaryFolder(), shared, start, startOurs, startBare })
  } finally {
    await endFile()
  }
}

/** The service's variables. Limits are so high that they count without ever applying; clients choose their origin. */
export const environmentOf = (dataDir: string, port: number): Record<string, string> => ({
  ...Object.fromEntries(
    Object.keys(LIMITS).map((name) => [`LIMIT_${name.toUpperCase()}`, '1000000000']),
  ),
  TRUST_PROXY: '127.0.0.1',
  DATA_DIR: dataDir,
  PORT: String(port),
  SCHEDULE: 'off',
  LOG_LEVEL: 'warn',
})

async function startServer(
  name: string,
  port: number,
  command: string[],
  { env = {}, wrapper = [] }: StartOptions = {},
): Promise<BenchServer> {
  const pinned = ['-c', SERVER_CORE, ...wrapper, ...command]
  const child = spawn('taskset', pinned, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  })
  const url = `http://127.0.0.1:${port}`
  while (!(await fetch(url).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error(`${name} did not start`)
    await sleep(50)
  }
  return { name, url, process: child, isWrapped: wrapper.length > 0 }
}

async function stopServer({ process: child, isWrapped }: BenchServer): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  process.kill(isWrapped ? childOf(child) : (child.pid as number), 'SIGTERM')
  await ended
}

/** Returns the pid of the only child of a process. */
const childOf = ({ pid }: ChildProcess): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim())

/** Returns the CPU time of a server so far, user and system [us]. */
export const cpuOf = ({ process: child }: BenchServer): number => processCpu(child.pid as number)

/** Returns the CPU time of a process so far, user and system [us]. */
export function processCpu(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '0 0 ')
    .split(' ')
  return (Number(fields[13]) + Number(fields[14])) * TICK_US
}

/** Returns the resident memory of a server [MiB]. */
export function residentOf({ process: child }: BenchServer): number {
  const [, kib] = /VmRSS:\s+([0-9]+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1024
}

/** Sends JSON. @throws Error unless the response is 201 */
export async function post({ url }: BenchServer, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}`)
  await answer.arrayBuffer()
}
