// Measures the resident memory of the service with 1,000,000 messages: idle, under heavy loads, and 30 s later.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { mediaUrl } from '../../archive/format/paths.ts'
import { makeArchive } from '../server/transmissions/archive.ts'
import { boardOfMillion, MILLION } from './boards.ts'
import type { Part } from './main.ts'
import type { Row } from './report.ts'
import { type BenchServer, post, residentOf } from './servers.ts'

const DAY = '2026-01-01'
const FILE_BYTES = 24_000_000
const DOWNLOADS = 64
const STALLED = 300
/** Memory that each round left behind would add up. */
const STALLED_ROUNDS = 3
/** How long connections are held that read nothing [ms]. */
const HELD_MS = 3_000
const PIPELINING = 8
const PIPELINED = 1_500
const POSTING_MS = 5_000
const LONG_BODY = 'x'.repeat(16_000)
const READERS = 16
const PAGES = 10
const SETTLED_MS = 30_000
/** The service is not idle until this long after its start. */
const STARTED_MS = 15_000
const SAMPLE_MS = 20

export const benchMemory: Part = async (stage) => {
  const archive = join(stage.folder, 'transmissions')
  const days = await makeArchive(archive, [DAY], {
    [DAY]: { media: { mp4: randomBytes(FILE_BYTES) } },
  })
  const { mp4 } = days.get(DAY)?.manifest.media ?? {}
  if (!mp4?.available) throw new Error('the film is not available')
  const film = mediaUrl(DAY, mp4.filename)
  const server = await stage.startOurs(await boardOfMillion(stage), { ARCHIVE_DIR: archive })
  return [
    await sleep(STARTED_MS).then(() => row('idle, 1,000,000 messages', 130, residentOf(server))),
    await peak(server, `${DOWNLOADS} downloads of 24 MB`, () => download(server, film)),
    await peak(server, `${STALLED_ROUNDS} times ${STALLED} stalled readers`, async () => {
      for (let round = 0; round < STALLED_ROUNDS; round++) await stall(server, film)
    }),
    await peak(server, `${PIPELINING} x ${PIPELINED} requests, nothing read`, () =>
      pipeline(server),
    ),
    await peak(server, '5 s of posts of 16 KB', () => postLong(server)),
    await peak(server, 'pages of 100 x 16 KB', () => readPages(server)),
    await peak(server, 'pages of 100 x 16 KB, gzip', () => readPages(server, 'gzip')),
    await peak(server, 'pages of 100 x 16 KB, nothing read', () => stallOnPages(server)),
    await sleep(SETTLED_MS).then(() => row('30 s later', 160, residentOf(server))),
  ]
}

const row = (label: string, most: number, mebibytes: number): Row => ({
  label: `memory, ${label} [MiB]`,
  values: [mebibytes],
  goal: { most },
})

/** Measures the peak while the work runs, and what remains when it has ended. */
async function peak(server: BenchServer, label: string, work: () => Promise<void>): Promise<Row> {
  return {
    ...row(`peak of ${label}`, 230, await highestDuring(server, work)),
    detail: `${residentOf(server).toFixed(0)} at the end`,
  }
}

/** Returns the highest resident size of a server while the work runs [MiB]. */
async function highestDuring(server: BenchServer, work: () => Promise<void>): Promise<number> {
  let highest = 0
  const sampling = setInterval(() => {
    highest = Math.max(highest, residentOf(server))
  }, SAMPLE_MS)
  await work().finally(() => clearInterval(sampling))
  return highest
}

async function download({ url }: BenchServer, film: string): Promise<void> {
  const one = async () => {
    for await (const _ of (await fetch(url + film)).body as ReadableStream<Uint8Array>);
  }
  await Promise.all(Array.from({ length: DOWNLOADS }, one))
}

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`
const longPage = (i: number) => `/api/v1/messages?limit=100&after=${MILLION + i * 10}`

const stall = (server: BenchServer, film: string) =>
  withoutReading(server, STALLED, () => request(film).repeat(4))

const pipeline = (server: BenchServer) =>
  withoutReading(server, PIPELINING, () => request('/api/v1/messages').repeat(PIPELINED))

const stallOnPages = (server: BenchServer) =>
  withoutReading(server, STALLED, (i) => request(longPage(i % 100)))

/** Opens connections that send requests and read no responses, for a while [ms]. */
async function withoutReading(
  { url }: BenchServer,
  count: number,
  requests: (i: number) => string,
  ms = HELD_MS,
): Promise<void> {
  const { port, hostname } = new URL(url)
  const open = async (_: unknown, i: number): Promise<Socket> => {
    const socket = connect(Number(port), hostname).on('error', () => {})
    await once(socket, 'connect')
    socket.pause().write(requests(i))
    return socket
  }
  const sockets = await Promise.all(Array.from({ length: count }, open))
  await sleep(ms)
  for (const socket of sockets) socket.destroy()
}

async function postLong(server: BenchServer): Promise<void> {
  const end = performance.now() + POSTING_MS
  const writer = async () => {
    while (performance.now() < end)
      await post(server, '/api/v1/messages', { directory: 'd1', body: LONG_BODY })
  }
  await Promise.all(Array.from({ length: READERS }, writer))
}

async function readPages({ url }: BenchServer, encoding = 'identity'): Promise<void> {
  const headers = { 'accept-encoding': encoding }
  const reader = async () => {
    for (let i = 0; i < PAGES; i++)
      await (await fetch(url + longPage(i), { headers })).arrayBuffer()
  }
  await Promise.all(Array.from({ length: READERS }, reader))
}
