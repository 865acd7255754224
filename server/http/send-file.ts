// Sends ranges of files, and streams from a bucket, at the client's pace: each chunk is read once the one before it has
// been sent.
import { read } from 'node:fs'
import type { ServerResponse } from 'node:http'
import type { BufferPool } from './buffer-pool.ts'
import { OpenFiles } from './open-files.ts'

/** A range of a file as a response body. */
export interface FileRange {
  path: string
  /** First byte. */
  start: number
  /** Bytes to send. */
  length: number
  /** Called if the file ends early or cannot be read after the response has begun; the connection is then closed. */
  onBroken(error: unknown): void
}

/** A stream from a bucket as a response body. */
export interface RemoteRange {
  stream: ReadableStream<Uint8Array>
  /** Bytes to send. */
  length: number
  /** Called if the stream fails or does not have `length` bytes; the connection is then closed. */
  onBroken(error: unknown): void
}

export class FileSender {
  readonly #pool: BufferPool
  readonly #files = new OpenFiles()

  constructor(pool: BufferPool) {
    this.#pool = pool
  }

  /** Sends a range as the body of a response whose head has been written, and ends the response. Never rejects. */
  async send(response: ServerResponse, range: FileRange | RemoteRange): Promise<void> {
    try {
      if ('stream' in range) return await sendStream(response, range)
      const { descriptor, release } = await this.#files.acquire(range.path)
      try {
        await this.#sendChunks(response, descriptor, range)
      } finally {
        release()
      }
    } catch (error) {
      range.onBroken(error)
      // Otherwise the client would wait for the bytes that Content-Length announced.
      response.destroy()
    }
  }

  async #sendChunks(response: ServerResponse, descriptor: number, range: FileRange): Promise<void> {
    let { start, length } = range
    while (length > 0 && !response.destroyed) {
      const buffer = await this.#pool.take(length)
      try {
        const wanted = Math.min(length, buffer.bytes.length)
        const got = await readAt(descriptor, buffer.bytes, wanted, start)
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
}

/** Reads at a position. @returns the number of bytes read; 0 at the end of the file */
function readAt(descriptor: number, bytes: Buffer, wanted: number, at: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(descriptor, bytes, 0, wanted, at, (error, got) => (error ? reject(error) : resolve(got)))
  })
}

/**
 * Sends a stream as the body of a response whose head has been written, and ends the response.
 * @throws Error when the stream fails or does not have `length` bytes
 */
async function sendStream(
  response: ServerResponse,
  { stream, length }: RemoteRange,
): Promise<void> {
  const reader = stream.getReader()
  // Ends a pending read once the client has disconnected.
  const cancel = () => void reader.cancel().catch(() => {})
  response.once('close', cancel)
  try {
    let left = length
    while (left > 0 && !response.destroyed) {
      const { done, value } = await reader.read()
      if (response.destroyed) return
      if (done || value.length > left) throw new Error(`the stream does not have ${length} bytes`)
      left -= value.length
      await writeChunk(response, value, left === 0)
    }
    if (length === 0) response.end()
  } finally {
    response.off('close', cancel)
    cancel()
  }
}

/**
 * Writes one chunk of a body that is longer than a buffer.
 * @returns a promise that resolves once the chunk has been written to the socket, or the connection has closed
 */
export function writeChunk(
  response: ServerResponse,
  chunk: Uint8Array,
  isLast = false,
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
