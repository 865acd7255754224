// Texts that are too long to be in memory as a whole: sent a piece at a time, each in a buffer of the pool.
import type { ServerResponse } from 'node:http'
import { crc32 } from 'node:zlib'
import type { BufferPool, PooledBuffer } from './buffer-pool.ts'
import type { Compressor } from './compression.ts'
import { writeChunk } from './write-chunk.ts'

/** A long text as an answer's body. */
export interface LongText {
  /** Bytes in UTF-8. */
  length: number
  /** The text in chunks, each made when the one before it is on its way. */
  chunks(): AsyncIterable<string>
  /** Called when the chunks end early or cannot be made although the answer has begun; the connection is then cut. */
  onBroken(error: unknown): void
}

/** Left free in a buffer: what is compressed may be a little longer than it was, and replaces it. */
const COMPRESSED_SLACK = 1024

/** The head of a gzip member without a name and a time (RFC 1952). */
const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
/** An empty last block (RFC 1951), which ends what was compressed in chunks. */
const LAST_BLOCK = Buffer.from([3, 0])

export class TextSender {
  readonly #pool: BufferPool
  readonly #compressor: Compressor

  constructor(pool: BufferPool, compressor: Compressor) {
    this.#pool = pool
    this.#compressor = compressor
  }

  /** Sends a text as the body of an answer whose head has been written, and ends the answer. */
  async send(response: ServerResponse, text: LongText, encoding?: 'gzip'): Promise<void> {
    try {
      const sent = encoding
        ? await this.#sendGzip(response, text)
        : await this.#send(response, text)
      if (sent !== text.length && !response.destroyed)
        throw new Error(`a text of ${text.length} bytes had ${sent}`)
    } catch (error) {
      text.onBroken(error)
      // The client would wait for the bytes that were promised.
      response.destroy()
    }
  }

  async #send(response: ServerResponse, text: LongText): Promise<number> {
    let sent = 0
    await this.#eachBuffer(response, text, 0, async ({ bytes }, length) => {
      sent += length
      await writeChunk(response, bytes.subarray(0, length), sent === text.length)
    })
    return sent
  }

  /** One gzip member whose chunks were compressed apart, so that nothing is kept for a client between them. */
  async #sendGzip(response: ServerResponse, text: LongText): Promise<number> {
    let [sent, checksum] = [0, 0]
    response.write(GZIP_HEAD)
    await this.#eachBuffer(response, text, COMPRESSED_SLACK, async ({ bytes }, length) => {
      const piece = bytes.subarray(0, length)
      sent += length
      checksum = crc32(piece, checksum)
      const compressed = await this.#compressor.compressChunk(piece)
      bytes.set(compressed)
      await writeChunk(response, bytes.subarray(0, compressed.length))
    })
    const end = Buffer.alloc(8)
    end.writeUInt32LE(checksum)
    end.writeUInt32LE(sent, 4)
    if (sent === text.length) response.end(Buffer.concat([LAST_BLOCK, end]))
    return sent
  }

  /** Fills one buffer after the other with the text; stops when the client has gone. */
  async #eachBuffer(
    response: ServerResponse,
    { length, chunks }: LongText,
    slack: number,
    use: (buffer: PooledBuffer, length: number) => Promise<void>,
  ): Promise<void> {
    const encoder = new TextEncoder()
    let buffer: PooledBuffer | undefined
    let [at, left] = [0, length]
    try {
      for await (let text of chunks()) {
        while (text !== '') {
          if (response.destroyed) return
          buffer ??= await this.#pool.take(left)
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
    } finally {
      buffer?.release()
    }
  }
}
