// Compares posts of 300 characters with bare h3 on SQLite, with one commit per message and with group commit.
import { join } from 'node:path'
import { compare, type Pair, ratioRow, scripted } from './load.ts'
import type { Part } from './main.ts'
import { type BenchServer, isInstalled, post, type Stage } from './servers.ts'

const DIRECTORY = 'bench'
/** Runs a program on a simulated slow disk: every fsync takes 5 ms longer. */
const SLOW_DISK = [
  ...['strace', '-f', '-qq', '-o', '/dev/null', '-e', 'trace=fsync,fdatasync'],
  ...['-e', 'inject=fsync,fdatasync:delay_exit=5000'],
]
const PAIRS = 6
const SLOW_PAIRS = 3

/** A script for wrk that publishes messages, each with a different key, body and origin. */
const LUA = `
local seed = io.open('/proc/sys/kernel/random/uuid'):read()
local n = 0
function request()
  n = n + 1
  local headers = {
    ['Content-Type'] = 'application/json',
    ['Idempotency-Key'] = seed .. n,
    ['X-Forwarded-For'] = '10.' .. math.floor(n / 65536) % 256 .. '.' .. math.floor(n / 256) % 256 .. '.' .. n % 256
  }
  local body = seed .. n .. string.rep('x', 300)
  return wrk.format('POST', '/api/v1/messages', headers, '{"directory":"${DIRECTORY}","body":"' .. body:sub(1, 300) .. '"}')
end
`

export const benchPosts: Part = async (stage) => {
  const ours = await startOurs(stage, 'data')
  const single = await startBare(stage, 'single')
  const group = await startBare(stage, 'group')
  const compareWith = (other: BenchServer, connections: number) =>
    comparePosts(stage, ours, other, connections, PAIRS)
  const rows = [16, 64].flatMap((connections) => {
    const label = `POST of 300 characters, ${connections} connections`
    const withGroup = compareWith(group, connections)
    const withSingle = compareWith(single, connections)
    return [
      ratioRow(`${label} / group commit`, 'requests/s', { least: 0.4 }, withGroup),
      ratioRow(`${label} / group commit`, 'CPU', { most: 3 }, withGroup),
      ratioRow(`${label} / one commit each`, 'requests/s', { least: 1.5 }, withSingle),
    ]
  })
  if (!isInstalled('strace', '-V')) return [...rows, 'posts on a slow disk need strace']
  const slow = { wrapper: SLOW_DISK }
  const pairs = comparePosts(
    stage,
    await startOurs(stage, 'slow', slow),
    await startBare(stage, 'single', slow),
    64,
    SLOW_PAIRS,
  )
  const label = 'POST, 64 connections, fsync of 5 ms / one commit each'
  return [...rows, ratioRow(label, 'requests/s', { least: 8 }, pairs)]
}

function comparePosts(
  { folder }: Stage,
  ours: BenchServer,
  other: BenchServer,
  connections: number,
  pairs: number,
): Pair[] {
  const load = scripted(folder, connections, LUA)
  return compare([ours, load], [other, load], pairs)
}

async function startOurs(
  stage: Stage,
  name: string,
  options?: { wrapper: readonly string[] },
): Promise<BenchServer> {
  const ours = await stage.startOurs(join(stage.folder, name), {}, options)
  await post(ours, '/api/v1/directories', { path: DIRECTORY })
  return ours
}

function startBare(
  { folder, startBare }: Stage,
  kind: 'single' | 'group',
  options?: { wrapper: readonly string[] },
): Promise<BenchServer> {
  const file = join(folder, `${kind}${options ? '-slow' : ''}.sqlite`)
  return startBare('bare-posts', [file, kind], options)
}
