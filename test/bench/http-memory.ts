// Resident memory of the service: idle, under what costs most, and 30 s later.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { mediaUrl } from '../../archive/format/paths.ts'
import { makeArchive } from '../server/transmissions/archive.ts'
import { type BenchServer, freePort, residentOf, startServer, stopServer } from './load.ts'

const ROOT = join(import.meta.dirname, '../..')
/** What npm start gives to node, flags of its memory among it. */
const START = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts.start as string)
  .split(' ')
  .slice(2)
  .map((word) => (word.startsWith('--') ? word : join(ROOT, word)))
const DAY = '2026-01-01'
const FILE_BYTES = 24_000_000
const DOWNLOADS = 64
const STALLED = 300
const PIPELINING = 8
const PIPELINED = 1_500
const POSTING_MS = 5_000
const SETTLED_MS = 30_000

export async function benchHttpMemory(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-memory-'))
  const archive = join(folder, 'transmissions')
  const days = await makeArchive(archive, [DAY], {
    [DAY]: { media: { mp4: randomBytes(FILE_BYTES) } },
  })
  const port = await freePort()
  const server = await startServer('daysignal', port, [process.execPath, ...START], {
    DATA_DIR: join(folder, 'data'),
    ARCHIVE_DIR: archive,
    PORT: String(port),
    SCHEDULE: 'off',
    LOG_LEVEL: 'warn',
    LIMIT_MESSAGES_ORIGIN_MINUTE: '0',
    LIMIT_MESSAGES_GLOBAL_MINUTE: '0',
    LIMIT_MESSAGES_GLOBAL_DAY: '0',
  })
  const { mp4 } = days.get(DAY)?.manifest.media ?? {}
  if (!mp4?.available) throw new Error('the film is not available')
  try {
    await measure(server, mediaUrl(DAY, mp4.filename))
  } finally {
    await stopServer(server)
    rmSync(folder, { recursive: true })
  }
}

async function measure(server: BenchServer, film: string): Promise<void> {
  console.log('memory of the service [MiB]')
  note(server, 'idle (goal <= 130)')
  await peak(server, `${DOWNLOADS} downloads of 24 MB`, () => download(server, film))
  await peak(server, `${STALLED} stalled readers`, () => stall(server, film))
  await peak(server, `${PIPELINING} x ${PIPELINED} pipelined, nothing read`, () => pipeline(server))
  await peak(server, '5 s of posts of 16 KB', () => post(server))
  await peak(server, 'pages of 100 x 16 KB', () => readPages(server))
  await sleep(SETTLED_MS)
  note(server, '30 s later (goal <= 160)')
}

const note = ({ process: child }: BenchServer, what: string) =>
  console.log(`  ${residentOf(child).toFixed(0).padStart(4)}  ${what}`)

/** The highest of what is seen every 20 ms while the work lasts. */
async function peak(server: BenchServer, what: string, work: () => Promise<void>): Promise<void> {
  let highest = 0
  const look = setInterval(() => {
    highest = Math.max(highest, residentOf(server.process))
  }, 20)
  await work()
  clearInterval(look)
  console.log(`  ${highest.toFixed(0).padStart(4)}  peak of ${what} (goal <= 230)`)
}

async function download({ url }: BenchServer, film: string): Promise<void> {
  const one = async () => {
    for await (const _ of (await fetch(url + film)).body as ReadableStream<Uint8Array>);
  }
  await Promise.all(Array.from({ length: DOWNLOADS }, one))
}

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`

async function stall(server: BenchServer, film: string): Promise<void> {
  const sockets = await openAll(server, STALLED)
  for (const socket of sockets) socket.write(request(film).repeat(4))
  await sleep(3_000)
  for (const socket of sockets) socket.destroy()
}

async function pipeline(server: BenchServer): Promise<void> {
  const sockets = await openAll(server, PIPELINING)
  for (const socket of sockets) socket.write(request('/api/v1/messages').repeat(PIPELINED))
  await sleep(3_000)
  for (const socket of sockets) socket.destroy()
}

function openAll({ url }: BenchServer, count: number): Promise<Socket[]> {
  const { port, hostname } = new URL(url)
  const open = async () => {
    const socket = connect(Number(port), hostname).on('error', () => {})
    await once(socket, 'connect')
    return socket.pause()
  }
  return Promise.all(Array.from({ length: count }, open))
}

async function post({ url }: BenchServer): Promise<void> {
  const send = (path: string, body: object) =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).then((answer) => answer.text())
  await send('/api/v1/directories', { path: 'bench' })
  const end = performance.now() + POSTING_MS
  const writer = async () => {
    while (performance.now() < end)
      await send('/api/v1/messages', { directory: 'bench', body: 'x'.repeat(16_000) })
  }
  await Promise.all(Array.from({ length: 16 }, writer))
}

async function readPages({ url }: BenchServer): Promise<void> {
  const reader = async () => {
    for (let i = 0; i < 10; i++)
      await (await fetch(`${url}/api/v1/messages?limit=100&after=${i * 10}`)).arrayBuffer()
  }
  await Promise.all(Array.from({ length: 16 }, reader))
}
