// Streams texts that are too long to hold in memory, one pooled buffer at a time.
import type { ServerResponse } from 'node:http'
import { crc32 } from 'node:zlib'
import type { BufferPool, PooledBuffer } from './buffer-pool.ts'
import type { Compressor } from './compression.ts'
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

/** Kept free in a buffer: compressed bytes overwrite their input and may be slightly longer [bytes]. */
const COMPRESSED_SLACK = 1024

/** The header of a gzip member without name and time (RFC 1952). */
const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
/** An empty final block (RFC 1951), which ends the compressed chunks. */
const LAST_BLOCK = Buffer.from([3, 0])

export class TextSender {
  readonly #pool: BufferPool
  readonly #compressor: Compressor

  constructor(pool: BufferPool, compressor: Compressor) {
    this.#pool = pool
    this.#compressor = compressor
  }

  /** Sends a text as the body of a response whose head has been written, and ends the response. Never rejects. */
  async send(response: ServerResponse, text: LongText, encoding?: 'gzip'): Promise<void> {
    try {
      const sent = encoding
        ? await this.#sendGzip(response, text)
        : await this.#send(response, text)
      if (text.length !== null && sent !== text.length && !response.destroyed)
        throw new Error(`a text of ${text.length} bytes was ${sent} bytes long`)
    } catch (error) {
      text.onBroken(error)
      // Otherwise the client would wait for the bytes that Content-Length announced.
      response.destroy()
    }
  }

  async #send(response: ServerResponse, text: LongText): Promise<number> {
    let sent = 0
    await this.#eachBuffer(response, text, 0, async ({ bytes }, length) => {
      sent += length
      await writeChunk(response, bytes.subarray(0, length), sent === text.length)
    })
    if (text.length === null) response.end()
    return sent
  }

  /** Sends one gzip member of independently compressed chunks, so that slow clients hold no compressor state. */
  async #sendGzip(response: ServerResponse, text: LongText): Promise<number> {
    let [sent, checksum] = [0, 0]
    response.write(GZIP_HEAD)
    await this.#eachBuffer(response, text, COMPRESSED_SLACK, async ({ bytes }, length) => {
      const chunk = bytes.subarray(0, length)
      sent += length
      checksum = crc32(chunk, checksum)
      const compressed = await this.#compressor.compressChunk(chunk)
      bytes.set(compressed)
      await writeChunk(response, bytes.subarray(0, compressed.length))
    })
    const trailer = Buffer.alloc(8)
    trailer.writeUInt32LE(checksum)
    trailer.writeUInt32LE(sent, 4)
    if (text.length === null || sent === text.length)
      response.end(Buffer.concat([LAST_BLOCK, trailer]))
    return sent
  }

  /** Fills one buffer after another with the text and passes each to `use`; stops once the client has disconnected. */
  async #eachBuffer(
    response: ServerResponse,
    { length, chunks }: LongText,
    slack: number,
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
          const { read, written } = encoder.encodeInto(
            text,
            buffer.bytes.subarray(at, buffer.bytes.length - slack),
          )
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
