// Downloads a file of known size and hash into a partial file, and resumes an earlier partial file.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, lstat, open, readFile, rm, writeFile } from 'node:fs/promises'
import { OWNER_ONLY, READ_ONLY } from '../base/durable.ts'
import { nullIfMissing } from '../base/system-error.ts'
import { strongTagOf } from '../http/body.ts'
import type { FetchedAnswer } from '../http/exchange.ts'
import { FetchFailure } from '../http/failure.ts'
import type { ServedPlace } from './served.ts'

/** A file to download, and where its bytes go until they are verified. */
export interface Download {
  key: string
  sha256: string
  bytes: number
  /** The path of the partial file. */
  part: string
  /** The path of the file with the ETag that the server sent with the part. */
  tag: string
}

/**
 * Completes the partial file, verifies its hash and syncs it.
 * @param onBytes called with the number of bytes that have arrived; negative when bytes are discarded
 * @throws FetchFailure
 */
export async function download(
  origin: ServedPlace,
  file: Download,
  onBytes: (count: number) => void,
): Promise<void> {
  const part = new Part(file, onBytes)
  await part.resume()
  if (!part.isComplete)
    await origin.fetch(
      file.key,
      () => part.rangeHeaders(),
      (response) => part.take(response),
    )
  await makeDurable(file)
}

/** Removes a partial file and its ETag; also called once the file has its name. */
export async function removePart({ part, tag }: Download): Promise<void> {
  await rm(part, { force: true })
  await rm(tag, { force: true })
}

/** The part of a file that has arrived, with its running hash. */
class Part {
  readonly #file: Download
  readonly #onBytes: (count: number) => void
  #bytes = 0
  #hash = createHash('sha256')
  #etag: string | null = null

  constructor(file: Download, onBytes: (count: number) => void) {
    this.#file = file
    this.#onBytes = onBytes
  }

  get isComplete(): boolean {
    const { bytes, sha256 } = this.#file
    return this.#bytes === bytes && this.#hash.copy().digest('hex') === sha256
  }

  /** Resumes what an earlier run left, hashing the bytes from disk. */
  async resume(): Promise<void> {
    const { part, tag, bytes } = this.#file
    const stats = await lstat(part).catch(nullIfMissing)
    if (!stats) return
    if (!stats.isFile() || stats.size > bytes) return rm(part, { recursive: true, force: true })
    for await (const chunk of createReadStream(part)) this.#count(chunk)
    this.#etag = await readFile(tag, 'latin1').catch(nullIfMissing)
    if (this.#bytes === bytes && !this.isComplete) await this.#startAgain()
  }

  /** Without an ETag, the rest might come from a different version of the file. */
  rangeHeaders(): Record<string, string> {
    if (this.#bytes === 0 || !this.#etag) return {}
    return { range: `bytes=${this.#bytes}-`, 'if-range': this.#etag }
  }

  /** @throws FetchFailure unless the response completes the file */
  async take(response: FetchedAnswer): Promise<void> {
    const { bytes } = this.#file
    if (!this.#isContinuedBy(response)) {
      await this.#startAgain()
      if (response.status !== 200)
        throw new FetchFailure('http_status', 'the server sends another range than requested')
      this.#etag = strongTagOf(response)
      // Before the bytes that it belongs to.
      if (this.#etag) await writeFile(this.#file.tag, this.#etag, 'latin1')
    }
    await this.#append(response.chunks)
    if (this.isComplete) return
    if (this.#bytes < bytes) throw new FetchFailure('unreachable', 'the response ends early')
    const isLonger = this.#bytes > bytes
    await this.#startAgain()
    throw isLonger
      ? new FetchFailure('too_large', `is longer than the ${bytes} bytes that its manifest names`)
      : new FetchFailure('medium_hash', 'arrives with another hash than its manifest names')
  }

  /** Whether a response contains exactly the missing bytes. A range of a compressed file cannot continue a plain one. */
  #isContinuedBy({ status, header }: FetchedAnswer): boolean {
    const { bytes } = this.#file
    const isExact = header('content-range') === `bytes ${this.#bytes}-${bytes - 1}/${bytes}`
    return status === 206 && this.#bytes > 0 && isExact && header('content-encoding') === null
  }

  /** Stops at the first chunk that exceeds the size; that chunk is counted but not written. */
  async #append(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const target = await open(this.#file.part, 'a')
    try {
      for await (const chunk of chunks) {
        this.#count(chunk)
        if (this.#bytes > this.#file.bytes) return
        await target.writeFile(chunk)
      }
    } finally {
      await target.close()
    }
  }

  #count(chunk: Uint8Array): void {
    this.#hash.update(chunk)
    this.#bytes += chunk.length
    this.#onBytes(chunk.length)
  }

  async #startAgain(): Promise<void> {
    this.#onBytes(-this.#bytes)
    this.#bytes = 0
    this.#hash = createHash('sha256')
    this.#etag = null
    await removePart(this.#file)
  }
}

async function makeDurable({ part }: Download): Promise<void> {
  // A run that was killed may have left it read-only, and Windows syncs only what may be written.
  await chmod(part, OWNER_ONLY)
  const file = await open(part, 'r+')
  try {
    await file.chmod(READ_ONLY)
    await file.sync()
  } finally {
    await file.close()
  }
}
