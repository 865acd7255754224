// Streams texts that are too long to hold in memory.
import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { BufferPool, PooledBuffer } from './buffer-pool.ts'
import { gzipStream } from './compression.ts'
import { writeChunk } from './write-chunk.ts'

/** A long text as a response body. */
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

export class TextSender {
  readonly #pool: BufferPool

  constructor(pool: BufferPool) {
    this.#pool = pool
  }

  /** Sends a text as the body of a response whose head has been written, and ends the response. Never rejects. */
  async send(response: ServerResponse, text: LongText, encoding?: 'gzip'): Promise<void> {
    try {
      if (encoding) await sendGzip(response, text)
      else await this.#send(response, text)
    } catch (error) {
      text.onBroken(error)
      // Otherwise the client would wait for the bytes that Content-Length announced.
      response.destroy()
    }
  }

  async #send(response: ServerResponse, text: LongText): Promise<void> {
    let sent = 0
    await this.#eachBuffer(response, text, async ({ bytes }, length) => {
      sent += length
      await writeChunk(response, bytes.subarray(0, length), sent === text.length)
    })
    if (response.destroyed) return
    requireLength(text, sent)
    if (text.length === null) response.end()
  }

  /** Fills one buffer after another with the text and passes each to `use`; stops once the client has disconnected. */
  async #eachBuffer(
    response: ServerResponse,
    { length, chunks }: LongText,
    use: (buffer: PooledBuffer, length: number) => Promise<void>,
  ): Promise<void> {
    const encoder = new TextEncoder()
    let buffer: PooledBuffer | undefined
    let [at, left] = [0, length ?? Number.POSITIVE_INFINITY]
    try {
      for await (let text of chunks()) {
        while (text !== '') {
          if (response.destroyed) return
          buffer ??= await this.#pool.take(length === null ? UNKNOWN_LENGTH_BUFFER : left)
          const { read, written } = encoder.encodeInto(text, buffer.bytes.subarray(at))
          text = text.slice(read)
          at += written
          left -= written
          if (text === '' && left > 0) break
          await use(buffer, at)
          buffer.release()
          buffer = undefined
          at = 0
        }
      }
      if (buffer && length === null && !response.destroyed) await use(buffer, at)
    } finally {
      buffer?.release()
    }
  }
}

/** @throws Error unless the text was as long as it had stated */
function requireLength({ length }: LongText, sent: number): void {
  if (length !== null && sent !== length)
    throw new Error(`a text of ${length} bytes was ${sent} bytes long`)
}

/** @throws what the chunks throw, and Error unless they add up to the length */
async function sendGzip(response: ServerResponse, text: LongText): Promise<void> {
  let failure: unknown = null
  async function* bytes() {
    let sent = 0
    try {
      for await (const chunk of text.chunks()) {
        const encoded = Buffer.from(chunk)
        sent += encoded.length
        yield encoded
      }
      requireLength(text, sent)
    } catch (error) {
      failure = error
      throw error
    }
  }
  // It also rejects once the client has disconnected, which is no failure of the text.
  await pipeline(bytes, gzipStream(), response).catch(() => {})
  if (failure !== null) throw failure
}
