// Fetches one file of which size and hash are known into a part, and goes on with a part that is there.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, lstat, open, readFile, rm, writeFile } from 'node:fs/promises'
import { nullIfMissing } from '../files.ts'
import { READ_ONLY } from '../writing/durable.ts'
import { type Answer, type Client, FetchFailure } from './client.ts'

/** The file to fetch, and where its bytes go until they are checked. */
export interface Download {
  url: string
  sha256: string
  bytes: number
  /** The path of the part. */
  part: string
  /** The path of the ETag under which the part was sent. */
  tag: string
}

/**
 * Completes the part: synced, with the hash that is due.
 * @param onBytes called with the number of bytes that have arrived; negative when they are thrown away
 * @throws FetchFailure
 */
export async function download(
  client: Client,
  file: Download,
  onBytes: (count: number) => void,
): Promise<void> {
  const part = new Part(file, onBytes)
  await part.resume()
  if (!part.isComplete)
    await client.get(
      file.url,
      () => part.rangeHeaders(),
      (answer) => part.take(answer),
    )
  await settle(file)
}

/** Removes a part, as once its file is in place. */
export async function removePart({ part, tag }: Download): Promise<void> {
  await rm(part, { force: true })
  await rm(tag, { force: true })
}

/** What of a file has arrived. */
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

  /** Goes on with what an earlier run has left; its hash is taken from the disk. */
  async resume(): Promise<void> {
    const { part, tag, bytes } = this.#file
    const stats = await lstat(part).catch(nullIfMissing)
    if (!stats) return
    if (!stats.isFile() || stats.size > bytes) return rm(part, { recursive: true, force: true })
    for await (const chunk of createReadStream(part)) this.#count(chunk)
    this.#etag = await readFile(tag, 'latin1').catch(nullIfMissing)
    if (this.#bytes === bytes && !this.isComplete) await this.#startAgain()
  }

  /** Without a tag nothing shows that the rest would be of the same bytes. */
  rangeHeaders(): Record<string, string> {
    if (this.#bytes === 0 || !this.#etag) return {}
    return { range: `bytes=${this.#bytes}-`, 'if-range': this.#etag }
  }

  /** @throws FetchFailure unless the answer completes the file */
  async take(answer: Answer): Promise<void> {
    const { bytes } = this.#file
    if (!this.#goesOn(answer)) {
      await this.#startAgain()
      if (answer.status !== 200)
        throw new FetchFailure('http_status', 'the server sends another part than was asked for')
      this.#etag = await keepTag(this.#file, answer)
    }
    await this.#append(answer.chunks)
    if (this.isComplete) return
    if (this.#bytes < bytes) throw new FetchFailure('unreachable', 'the answer ends early')
    const isLonger = this.#bytes > bytes
    await this.#startAgain()
    throw isLonger
      ? new FetchFailure('too_large', `is longer than the ${bytes} bytes that its manifest names`)
      : new FetchFailure('medium_hash', 'arrives with another hash than its manifest names')
  }

  /** Whether an answer has exactly the bytes that are missing. */
  #goesOn({ status, headers }: Answer): boolean {
    const { bytes } = this.#file
    const due = `bytes ${this.#bytes}-${bytes - 1}/${bytes}`
    return status === 206 && this.#bytes > 0 && headers.get('content-range') === due
  }

  /** Stops at the first byte that is too many, which is counted and not written. */
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

/** Written before the bytes that were sent under it. */
async function keepTag({ tag }: Download, answer: Answer): Promise<string | null> {
  const etag = strongTag(answer)
  if (etag) await writeFile(tag, etag, 'latin1')
  return etag
}

function strongTag({ headers }: Answer): string | null {
  const etag = headers.get('etag') ?? ''
  return /^"[\x21\x23-\x7e]{1,200}"$/.test(etag) ? etag : null
}

async function settle({ part }: Download): Promise<void> {
  await chmod(part, READ_ONLY)
  const file = await open(part, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
