// Publishes small signed archives for tests of mirrors, and serves them from a plain file server.
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join, relative } from 'node:path'
import { prepareFolder } from '../../../archive/mirror/folder.ts'
import {
  type MirrorOptions,
  type MirrorReport,
  mirrorArchive,
} from '../../../archive/mirror/mirror.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { ArchiveReader } from '../../../archive/reading/reader.ts'
import { writeSums } from '../../../archive/writing/derived.ts'
import { listen } from '../../support/listen.ts'
import { openWriter } from '../../support/writers.ts'
import { type Day, makeDay, publish } from '../days.ts'
import { type MemoryKeeper, memoryKeeper, openTestLog } from '../signing.ts'

/** Consecutive days from 2026-11-01 on. */
export function makeDays(count: number): Day[] {
  const days: Day[] = []
  for (let number = 1; number <= count; number += 1) {
    const day = `2026-11-${String(number).padStart(2, '0')}`
    days.push(makeDay(day, days.at(-1) ?? null))
  }
  return days
}

/** Publishes days into a folder, with log, checkpoint and derived files. */
export async function publishSigned(
  dir: string,
  days: readonly Day[],
  keeper: MemoryKeeper = memoryKeeper(),
): Promise<void> {
  const writer = await openWriter(dir, { create: true })
  for (const day of days) await publish(writer, day)
  await signDays(dir, days, keeper)
}

/** Appends published days to the log. */
export async function signDays(dir: string, days: readonly Day[], keeper: MemoryKeeper) {
  const log = await openTestLog(dir, { keeper })
  await log.append(days.map(({ snapshot }) => snapshot.day))
  await writeSums(folderPlace(dir), new ArchiveReader(folderPlace(dir)), false)
}

/** May send another response. @returns true if it did */
export type Tamper = (request: IncomingMessage, response: ServerResponse, bytes: Buffer) => boolean

export interface FileServer {
  url: string
  /** The requested paths, each followed by its Range header, if any. */
  requests: string[]
  tamper: Tamper | null
  close(): Promise<void>
}

/** Serves a folder like any file server: whole files and ranges, with strong ETags. */
export async function serveFolder(dir: string): Promise<FileServer> {
  const served: FileServer = { url: '', requests: [], tamper: null, close: async () => {} }
  const server = createServer((request, response) => {
    const path = join(dir, decodeURIComponent(request.url ?? '/'))
    const range = request.headers.range
    served.requests.push(range ? `${request.url} ${range}` : (request.url ?? ''))
    const isThere = existsSync(path) && lstatSync(path).isFile()
    const bytes = isThere ? readFileSync(path) : Buffer.alloc(0)
    if (served.tamper?.(request, response, bytes)) return
    if (isThere) sendFile(request, response, bytes)
    else response.writeHead(404).end()
  })
  const { url, close } = await listen(server)
  return Object.assign(served, { url, close })
}

export function sendFile(request: IncomingMessage, response: ServerResponse, bytes: Buffer): void {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`
  const start = Number(/^bytes=([0-9]+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
  if (start === 0 || request.headers['if-range'] !== etag) {
    response.writeHead(200, { etag, 'content-length': bytes.length }).end(bytes)
    return
  }
  const headers = { etag, 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` }
  response.writeHead(206, headers).end(bytes.subarray(start))
}

/** Mirrors an archive without pauses, by default all of it. */
export async function mirrorFrom(
  source: string,
  dir: string,
  options: Partial<MirrorOptions> = {},
): Promise<MirrorReport> {
  await prepareFolder(dir)
  const client = { sleep: () => Promise.resolve() }
  return mirrorArchive({ source, dir, selection: {}, keys: null, jobs: 2, client, ...options })
}

/** All files in a folder except the lock, by relative path, sorted. */
export function filesIn(dir: string): Map<string, Buffer> {
  const names = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)))
    .filter((name) => name !== '.pipeline.lock')
  return new Map(names.sort().map((name) => [name, readFileSync(join(dir, name))]))
}
