// Negotiates a content coding and compresses response bodies.
import { promisify } from 'node:util'
import { brotliCompress, createGzip, type Gzip, gzip as gzipCompress, gzipSync } from 'node:zlib'

export type Encoding = 'br' | 'gzip'

/** Bodies up to this size gain nothing from compression [bytes]. */
export const COMPRESSION_THRESHOLD_BYTES = 1024

/** The lowest level: most bodies are compressed for one response only, and a higher one saves few bytes. */
const GZIP_LEVEL = 1
/** Compressing a body of up to this size takes less time than handing it to another thread [bytes]. */
const MAX_AT_ONCE = 8 * 1024

/**
 * Returns the coding that the client prefers (RFC 9110 section 12.5.3); the first offered wins a tie.
 * @param field Accept-Encoding
 * @returns undefined to send the body uncompressed
 */
export function chooseEncoding<Offered extends Encoding>(
  field: string | undefined,
  offered: readonly Offered[],
): Offered | undefined {
  if (field === undefined) return undefined
  const qualities = new Map(field.toLowerCase().split(',').map(codingOf))
  const quality = (name: string) => qualities.get(name) ?? qualities.get('*') ?? 0
  const [best] = offered.toSorted((a, b) => quality(b) - quality(a))
  const identity = qualities.get('identity') ?? 0
  return best !== undefined && quality(best) > 0 && quality(best) >= identity ? best : undefined
}

function codingOf(item: string): [name: string, quality: number] {
  const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
  const q = parameters.find((part) => part.startsWith('q='))
  return [name, q === undefined ? 1 : Number(q.slice(2)) || 0]
}

const brotli = promisify(brotliCompress)
const gzip = promisify(gzipCompress)

export async function compress(encoding: Encoding, body: string | Uint8Array): Promise<Uint8Array> {
  if (encoding === 'br') return brotli(body)
  const options = { level: GZIP_LEVEL }
  return body.length <= MAX_AT_ONCE ? gzipSync(body, options) : gzip(body, options)
}

export const gzipStream = (): Gzip => createGzip({ level: GZIP_LEVEL })
