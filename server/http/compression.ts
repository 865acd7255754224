// Content codings: which one a client gets, and the compressing itself.
import { promisify } from 'node:util'
import { brotliCompress, constants, deflateRaw, gzip as gzipCompress } from 'node:zlib'

export type Encoding = 'br' | 'gzip'

/** Smaller bodies gain nothing. */
export const COMPRESSION_THRESHOLD_BYTES = 1024

/** Fast: what is compressed on the way is compressed for one answer. */
const GZIP_LEVEL = 4
/** Each holds a quarter of a MiB, and the pool of threads takes four. */
const AT_ONCE = 4

/**
 * The coding that the client prefers (RFC 9110 section 12.5.3); of equal ones, the first offered.
 * @param field Accept-Encoding
 * @returns undefined for the bytes as they are
 */
export function chooseEncoding<Offered extends Encoding>(
  field: string | undefined,
  offered: readonly Offered[],
): Offered | undefined {
  if (field === undefined) return undefined
  const qualities = new Map(field.toLowerCase().split(',').map(codingOf))
  const quality = (name: string) => qualities.get(name) ?? qualities.get('*') ?? 0
  const [best] = offered.toSorted((a, b) => quality(b) - quality(a))
  const least = qualities.get('identity') ?? 0
  return best !== undefined && quality(best) > 0 && quality(best) >= least ? best : undefined
}

function codingOf(item: string): [name: string, quality: number] {
  const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
  const q = parameters.find((part) => part.startsWith('q='))
  return [name, q === undefined ? 1 : Number(q.slice(2)) || 0]
}

const brotli = promisify(brotliCompress)
const gzip = promisify(gzipCompress)
const deflate = promisify(deflateRaw)

export const compress = (encoding: Encoding, body: string | Uint8Array): Promise<Uint8Array> =>
  encoding === 'br' ? brotli(body) : gzip(body, { level: GZIP_LEVEL })

/** Compresses bodies on the threads of the pool, a few at a time. */
export class Compressor {
  readonly #waiting: (() => void)[] = []
  #running = 0

  compress(encoding: Encoding, body: string | Uint8Array): Promise<Uint8Array> {
    return this.#inTurn(() => compress(encoding, body))
  }

  /** A piece of a gzip member whose head and end the caller writes. */
  compressChunk(bytes: Uint8Array): Promise<Uint8Array> {
    // Complete blocks that refer to nothing before them (RFC 1951).
    const options = { level: GZIP_LEVEL, finishFlush: constants.Z_FULL_FLUSH }
    return this.#inTurn(() => deflate(bytes, options))
  }

  async #inTurn(work: () => Promise<Uint8Array>): Promise<Uint8Array> {
    if (this.#running === AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running++
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }
}
