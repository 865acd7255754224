// Sends ranges of files at the client's pace: each chunk is read once the one before it has been sent.
import { close, open, read } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import type { BufferPool } from './buffer-pool.ts'

export interface FileRange {
  path: string
  /** First byte. */
  start: number
  length: number
}

/** Called if a body cannot be sent in full after the response has begun; the connection is then closed. */
export type OnBroken = (error: unknown) => void

/** Sends a range as the body of a response whose head has been written, and ends the response. Never rejects. */
export async function sendRange(
  response: ServerResponse,
  range: FileRange,
  files: OpenFiles,
  pool: BufferPool,
  onBroken: OnBroken,
): Promise<void> {
  try {
    const { descriptor, release } = await files.acquire(range.path)
    await sendChunks(response, descriptor, range, pool).finally(release)
  } catch (error) {
    onBroken(error)
    // Otherwise the client would wait for the bytes that Content-Length announced.
    response.destroy()
  }
}

async function sendChunks(
  response: ServerResponse,
  descriptor: number,
  range: FileRange,
  pool: BufferPool,
): Promise<void> {
  let { start, length } = range
  while (length > 0 && !response.destroyed) {
    const buffer = await pool.take(length)
    try {
      const wanted = Math.min(length, buffer.bytes.length)
      const { bytesRead: got } = await readFile(descriptor, buffer.bytes, 0, wanted, start)
      if (got === 0) throw new Error(`the file ended ${length} bytes early`)
      start += got
      length -= got
      await writeChunk(response, buffer.bytes.subarray(0, got), length === 0)
    } finally {
      buffer.release()
    }
  }
  if (range.length === 0) response.end()
}

/** Resolves once the chunk has been written to the socket, or the connection has closed. */
export function writeChunk(
  response: ServerResponse,
  chunk: Uint8Array,
  isLast: boolean,
): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('close', done)
      resolve()
    }
    response.once('close', done)
    if (isLast) response.end(chunk, done)
    else response.write(chunk, done)
  })
}

const MAX_OPEN = 64
const IDLE_MS = 10_000

const openFile = promisify(open)
const readFile = promisify(read)

interface OpenFile {
  descriptor: Promise<number>
  users: number
  isEvicted: boolean
}

/**
 * Keeps the most recently used files open. Only for files that never change while their path exists; a removed file can
 * still be read to its end.
 */
export class OpenFiles {
  /** Least recently used first. */
  readonly #files = new Map<string, OpenFile>()
  #idle: NodeJS.Timeout | undefined

  /** Opens a file, or reuses its descriptor. The caller must release it; rejects if the file cannot be opened. */
  async acquire(path: string): Promise<{ descriptor: number; release(): void }> {
    const file = this.#files.get(path) ?? {
      descriptor: openFile(path, 'r'),
      users: 0,
      isEvicted: false,
    }
    this.#files.delete(path)
    this.#files.set(path, file)
    file.users++
    try {
      const descriptor = await file.descriptor
      return { descriptor, release: () => this.#release(file) }
    } catch (error) {
      if (this.#files.get(path) === file) this.#files.delete(path)
      throw error
    }
  }

  #release(file: OpenFile): void {
    file.users--
    if (file.isEvicted && file.users === 0) closeFile(file)
    this.#evict(MAX_OPEN)
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#evict(0), IDLE_MS).unref()
  }

  /** Closes the least recently used files until `max` are left; one in use is closed once it is released. */
  #evict(max: number): void {
    for (const [path, file] of this.#files) {
      if (this.#files.size <= max) return
      this.#files.delete(path)
      file.isEvicted = true
      if (file.users === 0) closeFile(file)
    }
  }
}

function closeFile({ descriptor }: OpenFile): void {
  // Errors of closing do not matter: the file was only read.
  void descriptor.then((number) => close(number, () => {}))
}
