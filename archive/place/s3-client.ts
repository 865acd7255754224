// Sends requests to an S3-compatible object store, signed by aws4fetch and retried with random exponential backoff, and parses
// its lists.
import { createHash } from 'node:crypto'
import { ArchiveError } from '../base/errors.ts'
import { loadOptional } from '../base/system-error.ts'
import { bytesOf } from '../http/body.ts'
import { Client, type ClientOptions, statusFailure } from '../http/client.ts'
import type { FetchedAnswer, HttpRequest } from '../http/exchange.ts'
import { FetchFailure } from '../http/failure.ts'
import { type BucketLocation, nameOfBucket } from './location.ts'

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE'
  /** Omitted for a request on the bucket itself. */
  key?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Uint8Array
  /** The maximum number of bytes to read of the response body; unlimited by default. */
  limit?: number
}

export interface S3Response {
  status: number
  header(name: string): string | null
  body: Uint8Array
}

/** A response with an unexpected status; the body is null if it cannot be read. */
export interface Failed {
  status: number
  body: Uint8Array | null
}

/** How long a presigned URL is valid [s]. */
const PRESIGNED_FOR_S = 300

/** 409: another write of the same key is in progress. 429 and 5xx: the store is busy or broken. */
const TRANSIENT_STATUSES = [409, 429, 500, 502, 503, 504]

type Signer = typeof import('aws4fetch').AwsV4Signer

export class S3Client {
  readonly #location: BucketLocation
  readonly #signer: Signer
  readonly #client: Client

  /** @param signer from `loadSigner` */
  constructor(location: BucketLocation, signer: Signer, options: ClientOptions) {
    this.#location = location
    this.#signer = signer
    // A run ends at the first request that fails, and a server must try again for each reader.
    this.#client = new Client({ ...options, maxFailed: Number.POSITIVE_INFINITY })
  }

  /**
   * Sends a request and retries timeouts, connection errors and transient statuses.
   * @returns the last response, which may have a transient status
   * @throws ArchiveError `archive_unavailable` when the last try got no response
   */
  send(request: S3Request): Promise<S3Response> {
    return this.#retrying(request, async (answer) => {
      const { status, header } = answer
      return { status, header, body: await bytesOf(answer, request.limit) }
    })
  }

  /**
   * Sends a GET and streams its body, with backpressure. Only the head is retried.
   * @throws ArchiveError `archive_unavailable`
   */
  stream(request: S3Request): Promise<FetchedAnswer> {
    return this.#retrying(request, async (answer) => answer)
  }

  /** Returns a URL from which anyone can read the key for `PRESIGNED_FOR_S`. */
  async presign(key: string): Promise<string> {
    const url = new URL(this.#urlOf({ method: 'GET', key }))
    url.searchParams.set('X-Amz-Expires', String(PRESIGNED_FOR_S))
    return (await this.#sign({ method: 'GET', url: url.href, signQuery: true })).url.href
  }

  /** The error for a response with an unexpected status. */
  unexpected({ method, key }: S3Request, failed: Failed): ArchiveError {
    const subject = `${method} ${key ?? 'of the bucket'}`
    const message = `${nameOfBucket(this.#location)}: ${subject}: ${resultOf(failed)}`
    return new ArchiveError('archive_unavailable', message)
  }

  /** @param take reads the answer to each try */
  async #retrying<T>(request: S3Request, take: (answer: FetchedAnswer) => Promise<T>): Promise<T> {
    let last = null as { answer: FetchedAnswer; taken: T } | null
    const attempt = async () => {
      last?.answer.close()
      last = null
      const answer = await this.#client.send(await this.#signed(request))
      const taken = await take(answer)
      if (!TRANSIENT_STATUSES.includes(answer.status)) return taken
      last = { answer, taken }
      throw statusFailure(answer, true)
    }
    try {
      return await this.#client.retrying(this.#urlOf(request), attempt)
    } catch (error) {
      if (!(error instanceof FetchFailure)) throw error
      if (last) return last.taken
      const message = `${nameOfBucket(this.#location)}: the store cannot be reached: ${error.message}`
      throw new ArchiveError('archive_unavailable', message, { cause: error })
    }
  }

  async #signed(request: S3Request): Promise<HttpRequest> {
    const { method, body } = request
    // Stores check the body against this hash; by default aws4fetch signs UNSIGNED-PAYLOAD instead.
    const sha256 = createHash('sha256').update(body ?? '')
    const headers = {
      ...request.headers,
      'x-amz-content-sha256': sha256.copy().digest('hex'),
      ...(body && { 'x-amz-checksum-sha256': sha256.digest('base64') }),
    }
    const signed = await this.#sign({ method, url: this.#urlOf(request), headers })
    return {
      method,
      url: signed.url.href,
      headers: Object.fromEntries(signed.headers),
      ...(body && { body }),
    }
  }

  #sign(request: Omit<HttpRequest, 'body'> & { signQuery?: true }) {
    return new this.#signer({ ...this.#location.access, service: 's3', ...request }).sign()
  }

  #urlOf({ key, query }: S3Request): string {
    const search = query ? `?${new URLSearchParams(query)}` : ''
    const { access, bucket } = this.#location
    return `${access.endpoint}/${bucket}${key === undefined ? '' : `/${key}`}${search}`
  }
}

/** What a store has answered, as in `answers 503 SlowDown`. */
export function resultOf({ status, body }: Failed): string {
  const text = Buffer.from(body ?? []).toString('latin1')
  const code = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(text)?.[1]
  return `answers ${code ? `${status} ${code}` : status}`
}

export async function loadSigner(): Promise<Signer> {
  const need = 'an archive on an object store needs the package aws4fetch'
  return (await loadOptional(() => import('aws4fetch'), need)).AwsV4Signer
}

/** Reads only the tags of a page that are used. */
export function parseListPage(xml: string) {
  return {
    objects: elements(xml, 'Contents').map((object) => ({
      key: text(object, 'Key'),
      bytes: Number(text(object, 'Size')),
      etag: text(object, 'ETag'),
      /** [ms since 1970] */
      modifiedAt: Date.parse(text(object, 'LastModified')),
    })),
    /** The common prefixes of keys up to the delimiter, if the request named one. */
    prefixes: elements(xml, 'CommonPrefixes').map((prefix) => text(prefix, 'Prefix')),
    /** The continuation token of the next page; null on the last page. */
    next: text(xml, 'NextContinuationToken') || null,
  }
}

function elements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(
    ([, inner = '']) => inner,
  )
}

function text(xml: string, name: string): string {
  return unescaped(elements(xml, name)[0] ?? '')
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function unescaped(xml: string): string {
  return xml.replace(/&(?:#(\d+)|#x([0-9a-f]+)|([a-z]+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole
    return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal))
  })
}
