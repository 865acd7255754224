// The servers of the bench: each a process on a core of its own, started when it is needed and stopped at the end.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS } from '../../server/publishing/limits.ts'
import { freePort } from '../support/free-port.ts'

const ROOT = join(import.meta.dirname, '../..')
/** The words of npm start: `exec env NAME=value node --flag server/start.js`. */
const WORDS = (
  JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts.start as string
).split(' ')
const NODE = WORDS.indexOf('node')
/** What npm start gives to node: flags of its memory, and the program. */
export const START: readonly string[] = WORDS.slice(NODE + 1).map((word) =>
  word.startsWith('--') ? word : join(ROOT, word),
)
/** How npm start has the C library keep less memory. */
export const START_ENVIRONMENT = Object.fromEntries(
  WORDS.slice(2, NODE).map((word) => word.split('=')),
) as Record<string, string>

const SERVER_CORE = '0'
export const CLIENT_CORE = '1'
/** Clock ticks of /proc/PID/stat [us]. */
const TICK_US = 10_000

/** Whether a program can be run here. */
export const isInstalled = (program: string, ...args: string[]): boolean =>
  spawnSync(program, args, { stdio: 'ignore' }).error === undefined

export interface BenchServer {
  name: string
  /** Without a trailing slash. */
  url: string
  process: ChildProcess
  /** Whether the process is another program, under which the server runs. */
  isUnder: boolean
}

/** What a part of the bench works in: a folder of its own, and servers that end with it. */
export interface Stage {
  folder: string
  /** What several parts use, for as long as the bench lasts. */
  shared: string
  /** Starts a program that listens on `port`, and waits until it answers. */
  start(name: string, port: number, command: string[], options?: StartOptions): Promise<BenchServer>
  /** Starts the service on a folder of data. @param env beside what the bench always sets */
  startOurs(
    dataDir: string,
    env?: Record<string, string>,
    options?: StartOptions,
  ): Promise<BenchServer>
  /** Starts bare node:http or h3, which answers every request with these bytes. */
  startBare(kind: 'node' | 'h3', bytes: Uint8Array): Promise<BenchServer>
}

interface StartOptions {
  env?: Record<string, string>
  /** What stands before the command, as strace does. */
  under?: readonly string[]
  /** Whether it may use every core. */
  isFree?: boolean
}

/** Whatever becomes of the work, its servers are stopped and its folder is removed. */
export async function onStage<T>(shared: string, work: (stage: Stage) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(shared, 'part-'))
  const running: BenchServer[] = []
  const start: Stage['start'] = async (...args) => {
    const server = await startServer(...args)
    running.push(server)
    return server
  }
  const bare: Stage['startBare'] = async (kind, bytes) => {
    const file = join(folder, `${kind}-${bytes.length}`)
    writeFileSync(file, bytes)
    const port = await freePort()
    const program = join(import.meta.dirname, `bare-${kind}.ts`)
    return start(`bare ${kind}`, port, [process.execPath, program, String(port), file])
  }
  const ours: Stage['startOurs'] = async (dataDir, env = {}, options = {}) => {
    const port = await freePort()
    const all = { ...START_ENVIRONMENT, ...environmentOf(dataDir, port), ...env }
    return start('daysignal', port, [process.execPath, ...START], { ...options, env: all })
  }
  try {
    return await work({ folder, shared, start, startOurs: ours, startBare: bare })
  } finally {
    for (const server of running) await stopServer(server)
    rmSync(folder, { recursive: true })
  }
}

/** The service's own: counted, but unlimited; and every client says where it comes from. */
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
  { env = {}, under = [], isFree = false }: StartOptions = {},
): Promise<BenchServer> {
  const pin = isFree ? [] : ['taskset', '-c', SERVER_CORE]
  const [program = '', ...args] = [...pin, ...under, ...command]
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  })
  const url = `http://127.0.0.1:${port}`
  while (!(await fetch(url).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error(`${name} did not start`)
    await sleep(50)
  }
  return { name, url, process: child, isUnder: under.length > 0 }
}

async function stopServer({ process: child, isUnder }: BenchServer): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  process.kill(isUnder ? childOf(child) : (child.pid as number), 'SIGTERM')
  await ended
}

/** The process that another one has started; it ends with it. */
const childOf = ({ pid }: ChildProcess): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim())

/** Processor time of a server so far, user and system [us]. */
export function cpuOf({ process: child }: BenchServer): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(' ')
  return (Number(fields[13]) + Number(fields[14])) * TICK_US
}

/** Resident memory of a server [MiB]. */
export function residentOf({ process: child }: BenchServer): number {
  const [, kib] = /VmRSS:\s+([0-9]+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1024
}

/** Sends JSON. @throws Error unless it is answered with 201 */
export async function post({ url }: BenchServer, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}`)
  await answer.arrayBuffer()
}
