// HTTP beside bare node:http, bare h3 and nginx: what a request costs, and how fast files leave.
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mediaUrl } from '../../archive/format/paths.ts'
import { makeArchive } from '../server/transmissions/archive.ts'
import {
  type BenchServer,
  type Cost,
  compare,
  freePort,
  isInstalled,
  type Load,
  startServer,
  stopServer,
} from './load.ts'

const ROOT = join(import.meta.dirname, '../..')
const REPORT = join(ROOT, 'data/bench/http.md')
const FILES = 40
const WAV_BYTES = 2_800_000
const RANGE_BYTES = 64 * 1024
const MESSAGES = 60
const PAIRS = 6
const SECONDS = 2

/** One row of the report: a ratio of ours to another server's, and what it should be. */
interface Row {
  what: string
  goal: string
  /** One a pair of runs. */
  ratios: number[]
  /** Medians of both, in the unit of the row. */
  ours: string
  other: string
}

export async function benchHttp(): Promise<void> {
  if (!isInstalled('wrk', '-v') || !isInstalled('taskset', '-V')) {
    console.log('http: skipped, wrk and taskset are needed (Debian: wrk, util-linux)')
    return
  }
  const folder = mkdtempSync(join(tmpdir(), 'bench-http-'))
  const running: BenchServer[] = []
  const start = async (...args: Parameters<typeof startServer>) => {
    const server = await startServer(...args)
    running.push(server)
    return server
  }
  try {
    report(await measure(folder, start))
  } finally {
    for (const server of running) await stopServer(server)
    rmSync(folder, { recursive: true })
  }
}

type Start = typeof startServer

async function measure(folder: string, start: Start): Promise<Row[]> {
  const archive = join(folder, 'transmissions')
  const media = await makeMedia(archive)
  const ours = await startOurs(folder, archive, start)
  const page = await makePage(ours)
  return [
    ...(await beside(ours, page, folder, start)),
    ...(await besideNginx(ours, media, archive, folder, start)),
  ]
}

interface BenchMedium {
  url: string
  /** Below the archive's folder. */
  file: string
  etag: string
}

async function makeMedia(archive: string): Promise<BenchMedium[]> {
  const days = Array.from({ length: FILES }, (_, i) =>
    new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10),
  )
  const contents = days.map((day) => [day, { media: { wav: randomBytes(WAV_BYTES) } }])
  const sealed = await makeArchive(archive, days, Object.fromEntries(contents))
  return [...sealed].map(([day, { manifest }]) => {
    const { wav } = manifest.media
    if (!wav.available) throw new Error('the sound is not available')
    return {
      url: mediaUrl(day, wav.filename),
      file: `/${day}/${wav.filename}`,
      etag: `"${wav.sha256}"`,
    }
  })
}

async function startOurs(folder: string, archive: string, start: Start): Promise<BenchServer> {
  const port = await freePort()
  const limits = ['MESSAGES_ORIGIN_MINUTE', 'MESSAGES_GLOBAL_MINUTE', 'MESSAGES_GLOBAL_DAY']
  return start('daysignal', port, [process.execPath, join(ROOT, 'server/start.js')], {
    ...Object.fromEntries(limits.map((name) => [`LIMIT_${name}`, '0'])),
    DATA_DIR: join(folder, 'data'),
    ARCHIVE_DIR: archive,
    PORT: String(port),
    SCHEDULE: 'off',
    LOG_LEVEL: 'warn',
  })
}

/** Publishes enough messages for a page. @returns its path and its bytes */
async function makePage({ url }: BenchServer): Promise<{ path: string; bytes: Buffer }> {
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}`)
  }
  await post('/api/v1/directories', { path: 'bench', author_label: 'bench' })
  for (let i = 0; i < MESSAGES; i++)
    await post('/api/v1/messages', { directory: 'bench', body: `${i} `.padEnd(300, 'x') })
  const path = '/api/v1/messages?limit=50'
  return { path, bytes: Buffer.from(await (await fetch(url + path)).arrayBuffer()) }
}

const SMALLEST: Load = { path: '/static/icon.svg', connections: 16 }

/** A process that answers every request with the same bytes. */
async function startBare(kind: 'node' | 'h3', bytes: Buffer, folder: string, start: Start) {
  const file = join(folder, `${kind}-${bytes.length}`)
  writeFileSync(file, bytes)
  const port = await freePort()
  const program = join(import.meta.dirname, `bare-${kind}.ts`)
  return start(`bare ${kind}`, port, [process.execPath, program, String(port), file])
}

async function beside(
  ours: BenchServer,
  page: { path: string; bytes: Buffer },
  folder: string,
  start: Start,
): Promise<Row[]> {
  const icon = Buffer.from(await (await fetch(ours.url + SMALLEST.path)).arrayBuffer())
  const bareNode = await startBare('node', icon, folder, start)
  const bareH3 = await startBare('h3', page.bytes, folder, start)
  const pages: Load = { path: page.path, connections: 16 }
  return [
    cpuRow(
      'smallest route / bare node:http, CPU',
      '<= 1.3',
      [ours, SMALLEST],
      [bareNode, SMALLEST],
    ),
    cpuRow('page of 50 repeated / bare h3, CPU', '<= 1.5', [ours, pages], [bareH3, pages]),
  ]
}

async function besideNginx(
  ours: BenchServer,
  media: BenchMedium[],
  archive: string,
  folder: string,
  start: Start,
): Promise<Row[]> {
  const [first] = media as [BenchMedium]
  const headers = { 'If-None-Match': first.etag }
  const notModified: Load = { path: first.url, connections: 16, headers }
  const rows = [
    cpuRow(
      '304 of a media file / smallest route, CPU',
      '<= 1.2',
      [ours, notModified],
      [ours, SMALLEST],
    ),
  ]
  if (!isInstalled('nginx', '-v')) {
    console.log(
      'http: the rows beside nginx are skipped, it is not installed (Debian: nginx-light)',
    )
    return rows
  }
  const nginx = await startNginx(archive, folder, start)
  const etag = (await fetch(nginx.url + first.file)).headers.get('etag') as string
  const all = (
    name: string,
    connections: number,
    of: (medium: BenchMedium) => string,
    range?: string,
  ) => {
    const script = join(folder, `${name}.lua`)
    writeFileSync(script, luaOver(media.map(of), range))
    return { path: '/', connections, script }
  }
  const both = (
    name: string,
    connections: number,
    range?: string,
  ): [[BenchServer, Load], [BenchServer, Load]] => [
    [ours, all(`${name}-ours`, connections, ({ url }) => url, range)],
    [nginx, all(`${name}-nginx`, connections, ({ file }) => file, range)],
  ]
  const wavs = both('wav', 8)
  const ranges = both('range', 16, `bytes=100000-${100_000 + RANGE_BYTES - 1}`)
  return [
    ...rows,
    cpuRow(
      '304 of a media file / nginx, CPU',
      '<= 6',
      [ours, notModified],
      [nginx, { ...notModified, path: first.file, headers: { 'If-None-Match': etag } }],
    ),
    ...fileRows('WAV of 2.8 MB, 8 connections', ['>= 0.6', '<= 4'], ...wavs),
    ...fileRows('range of 64 KiB, 16 connections', ['>= 0.35', '<= 5'], ...ranges),
  ]
}

/** A script for wrk that asks for one path after the other. */
const luaOver = (paths: string[], range?: string) => `
local paths = { ${paths.map((path) => JSON.stringify(path)).join(', ')} }
local i = 0
function request()
  i = i % #paths + 1
  return wrk.format('GET', paths[i]${range ? `, { ['Range'] = '${range}' }` : ''})
end
`

/** One process of nginx that sends the archive's files by sendfile. */
async function startNginx(archive: string, folder: string, start: Start) {
  const port = await freePort()
  const config = join(folder, 'nginx.conf')
  writeFileSync(
    config,
    `daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;
events { worker_connections 1024; }
http {
  sendfile on; access_log off; keepalive_requests 1000000000;
  server { listen 127.0.0.1:${port}; root ${archive}; location = / { return 200; } }
}`,
  )
  return start('nginx', port, ['nginx', '-c', config])
}

function cpuRow(
  what: string,
  goal: string,
  ours: [BenchServer, Load],
  other: [BenchServer, Load],
): Row {
  console.log(`http: ${what}`)
  return rowOf(what, goal, compare(ours, other, PAIRS, SECONDS), 'us', (cost) => cost.cpuPerRequest)
}

function fileRows(
  what: string,
  [speedGoal, cpuGoal]: [string, string],
  ours: [BenchServer, Load],
  other: [BenchServer, Load],
): Row[] {
  console.log(`http: ${what}`)
  const pairs = compare(ours, other, PAIRS, SECONDS)
  return [
    rowOf(`${what} / nginx, MB/s`, speedGoal, pairs, 'MB/s', (cost) => cost.bytesPerSecond / 1e6),
    rowOf(`${what} / nginx, CPU`, cpuGoal, pairs, 'us', (cost) => cost.cpuPerRequest),
  ]
}

function rowOf(
  what: string,
  goal: string,
  pairs: { ours: Cost; other: Cost }[],
  unit: string,
  of: (cost: Cost) => number,
): Row {
  return {
    what,
    goal,
    ratios: pairs.map(({ ours, other }) => of(ours) / of(other)),
    ours: `${median(pairs.map(({ ours }) => of(ours))).toFixed(1)} ${unit}`,
    other: `${median(pairs.map(({ other }) => of(other))).toFixed(1)} ${unit}`,
  }
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] as number

function report(rows: Row[]): void {
  const lines = [
    '| what | goal | median | range | ours | other |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows.map(({ what, goal, ratios, ours, other }) => {
      const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
      return `| ${what} | ${goal} | ${median(ratios).toFixed(2)} | ${range} | ${ours} | ${other} |`
    }),
  ]
  console.log(lines.join('\n'))
  mkdirSync(join(REPORT, '..'), { recursive: true })
  writeFileSync(REPORT, `${lines.join('\n')}\n`)
}
