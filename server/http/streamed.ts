// Sends bodies that do not fit into memory in the chunks in which they come: long texts, and files from a bucket.
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as WebStream } from 'node:stream/web'
import type { BufferPool, PooledBuffer } from './buffer-pool.ts'
import { gzipStream } from './compression.ts'
import { type OnBroken, writeChunk } from './send-file.ts'

export interface LongText {
  /** Length in UTF-8 [bytes]; null if it is known only once everything has been generated. */
  length: number | null
  /** Generates the text; each chunk is requested after the one before it has been sent or buffered. */
  chunks(): AsyncIterable<string>
}

export interface RemoteRange {
  stream: ReadableStream<Uint8Array>
  length: number
}

type Streamed = LongText | RemoteRange

/** A small buffer for texts of unknown length, so that the first bytes are sent soon [bytes]. */
const UNKNOWN_LENGTH_BUFFER = 1

/** Sends a body of a response whose head has been written, and ends the response. Never rejects. */
export function sendStreamed(
  response: ServerResponse,
  body: Streamed,
  encoding: 'gzip' | undefined,
  pool: BufferPool,
  onBroken: OnBroken,
): Promise<void> {
  if (encoding || 'stream' in body) return sendChunks(response, body, encoding, onBroken)
  return sendPlain(response, body, pool).catch((error) => abandon(response, error, onBroken))
}

/** Fills one buffer after another with a text and sends each; stops once the client has disconnected. */
async function sendPlain(
  response: ServerResponse,
  { length, chunks }: LongText,
  pool: BufferPool,
): Promise<void> {
  const encoder = new TextEncoder()
  let buffer: PooledBuffer | undefined
  let [at, sent] = [0, 0]
  let left = length ?? Number.POSITIVE_INFINITY
  try {
    for await (let text of chunks()) {
      while (text !== '' && !isGone(response)) {
        buffer ??= await pool.take(length === null ? UNKNOWN_LENGTH_BUFFER : left)
        const { read, written } = encoder.encodeInto(text, buffer.bytes.subarray(at))
        text = text.slice(read)
        at += written
        left -= written
        if (text === '' && left > 0) break
        sent += at
        await writeChunk(response, buffer.bytes.subarray(0, at), sent === length)
        buffer.release()
        buffer = undefined
        at = 0
      }
      // Before the next chunk, which the service need not read any more.
      if (isGone(response)) return
    }
    requireLength(length, sent)
    if (buffer) await writeChunk(response, buffer.bytes.subarray(0, at), true)
    else if (length === null) response.end()
  } finally {
    buffer?.release()
  }
}

/** @throws Error unless the body was as long as it had stated */
function requireLength(length: number | null, sent: number): void {
  if (length !== null && sent !== length)
    throw new Error(`a body of ${length} bytes was ${sent} bytes long`)
}

async function sendChunks(
  response: ServerResponse,
  body: Streamed,
  encoding: 'gzip' | undefined,
  onBroken: OnBroken,
): Promise<void> {
  async function* bytes() {
    let sent = 0
    try {
      for await (const chunk of 'stream' in body ? untilClosed(body, response) : body.chunks()) {
        const part = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
        sent += part.length
        // More than the head has announced would be taken for the next response.
        if (sent > (body.length ?? Number.POSITIVE_INFINITY)) break
        yield part
      }
      requireLength(body.length, sent)
    } catch (error) {
      abandon(response, error, onBroken)
      throw error
    }
  }
  // It also rejects once the client has disconnected, which is no failure of the body.
  const sent = encoding ? pipeline(bytes, gzipStream(), response) : pipeline(bytes, response)
  await sent.catch(() => {})
}

/** Ends a pending read once the client has disconnected. */
function untilClosed({ stream }: RemoteRange, response: ServerResponse): Readable {
  const source = Readable.fromWeb(stream as WebStream<Uint8Array>)
  response.once('close', () => source.destroy())
  return source
}

/** Reports a body that cannot be sent in full, and closes the connection: the client would wait for the rest. */
function abandon(response: ServerResponse, error: unknown, onBroken: OnBroken): void {
  // Without a client nobody misses the rest, which may have failed only because the service stops.
  if (isGone(response)) return
  onBroken(error)
  response.destroy()
}

/** Whether the connection is closed. The response itself learns of that later. */
const isGone = ({ destroyed, req }: ServerResponse): boolean => destroyed || req.socket.destroyed
