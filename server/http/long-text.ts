// Streams texts that are too long to hold in memory.
import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { BufferPool, PooledBuffer } from './buffer-pool.ts'
import { gzipStream } from './compression.ts'
import { writeChunk } from './send-file.ts'

export interface LongText {
  /** Length in UTF-8 [bytes]; null if it is known only once everything has been generated. */
  length: number | null
  /** Generates the text; each chunk is requested after the one before it has been sent or buffered. */
  chunks(): AsyncIterable<string>
  /** Called if the chunks fail or do not add up to `length`; the connection is then closed. */
  onBroken(error: unknown): void
}

/** A small buffer for texts of unknown length, so that the first bytes are sent soon [bytes]. */
const UNKNOWN_LENGTH_BUFFER = 1

/** Sends a text as the body of a response whose head has been written, and ends the response. Never rejects. */
export const sendText = (
  response: ServerResponse,
  text: LongText,
  encoding: 'gzip' | undefined,
  pool: BufferPool,
): Promise<void> =>
  encoding
    ? sendGzip(response, text)
    : sendPlain(response, text, pool).catch((error) => abandon(response, text, error))

/** Fills one buffer after another with the text and sends each; stops once the client has disconnected. */
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

/** @throws Error unless the text was as long as it had stated */
function requireLength(length: number | null, sent: number): void {
  if (length !== null && sent !== length)
    throw new Error(`a text of ${length} bytes was ${sent} bytes long`)
}

async function sendGzip(response: ServerResponse, text: LongText): Promise<void> {
  async function* bytes() {
    let sent = 0
    try {
      for await (const chunk of text.chunks()) {
        const encoded = Buffer.from(chunk)
        sent += encoded.length
        yield encoded
      }
      requireLength(text.length, sent)
    } catch (error) {
      abandon(response, text, error)
      throw error
    }
  }
  // It also rejects once the client has disconnected, which is no failure of the text.
  await pipeline(bytes, gzipStream(), response).catch(() => {})
}

/** Reports a text that cannot be sent in full, and closes the connection: the client would wait for the rest. */
function abandon(response: ServerResponse, text: LongText, error: unknown): void {
  // Without a client nobody misses the rest, which may have failed only because the service stops.
  if (isGone(response)) return
  text.onBroken(error)
  response.destroy()
}

/** Whether the connection is closed. The response itself learns of that later. */
const isGone = ({ destroyed, req }: ServerResponse): boolean => destroyed || req.socket.destroyed
