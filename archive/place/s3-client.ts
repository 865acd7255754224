// Sends requests to an S3-compatible store: signed by aws4fetch, retried with random exponential backoff.
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ArchiveError } from '../errors.ts'
import { describeFetchError } from '../fetch-error.ts'
import { loadOptional } from '../optional-package.ts'
import type { StoreAccess } from './location.ts'

export interface StoreRequest {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE'
  /** Omitted for a request on the bucket itself. */
  key?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Uint8Array
  /** The maximum number of bytes to read of the response body; unlimited by default. */
  limit?: number
}

export interface StoreResponse {
  status: number
  headers: Headers
  body: Uint8Array
}

/** How long to try. A page must not make its reader wait; a run has time. */
export interface RetryPolicy {
  /** The maximum number of times that a request is sent. */
  tries: number
  /** For each try: until the last byte of the response, or until its head when the body is streamed [ms]. */
  timeoutMs: number
  /** Returns a number from 0 to 1, which scales the pauses. */
  random(): number
}

/** The maximum pause before the second try; it doubles with each further try [ms]. */
const FIRST_PAUSE_MS = 100
/** A stream that delivers no byte for this long is aborted [ms]. */
const STALL_TIMEOUT_MS = 30_000
/** How long a presigned URL is valid [s]. */
const PRESIGNED_FOR_S = 300

/** 409: another write of the same key is in progress. 429 and 5xx: the store is busy or broken. */
const TRANSIENT_STATUSES = [409, 429, 500, 502, 503, 504]

type Signer = typeof import('aws4fetch').AwsV4Signer

export class S3Client {
  readonly #signer: Signer
  readonly #access: StoreAccess
  readonly #base: string
  readonly #name: string
  readonly #retryPolicy: RetryPolicy

  /** @param name the place's name in error messages */
  private constructor(
    signer: Signer,
    access: StoreAccess,
    bucket: string,
    name: string,
    retryPolicy: RetryPolicy,
  ) {
    this.#signer = signer
    this.#access = access
    this.#base = `${access.endpoint}/${bucket}`
    this.#name = name
    this.#retryPolicy = retryPolicy
  }

  static async open(
    access: StoreAccess,
    bucket: string,
    name: string,
    retryPolicy: RetryPolicy,
  ): Promise<S3Client> {
    return new S3Client(await loadSigner(), access, bucket, name, retryPolicy)
  }

  /**
   * Sends a request and retries timeouts, connection errors and transient statuses.
   * @returns the last response, which may have a transient status
   * @throws ArchiveError `archive_unavailable` when the last try got no response
   */
  async send(request: StoreRequest): Promise<StoreResponse> {
    return this.#retrying(async () => {
      const { timeoutMs } = this.#retryPolicy
      const response = await this.#fetch(request, AbortSignal.timeout(timeoutMs))
      const { status, headers } = response
      return { status, headers, body: await readBody(response.body, request.limit) }
    })
  }

  /**
   * Sends a GET and streams its body, with backpressure. Only the head is retried.
   * @throws ArchiveError `archive_unavailable`
   */
  async stream(
    request: StoreRequest,
  ): Promise<{ status: number; body: ReadableStream<Uint8Array> }> {
    return this.#retrying(async () => {
      const controller = new AbortController()
      const timer = setTimeout(() => controller.abort(), this.#retryPolicy.timeoutMs)
      try {
        const { status, body } = await this.#fetch(request, controller.signal)
        return { status, body: abortingWhenStalled(body ?? new Blob([]).stream(), controller) }
      } finally {
        clearTimeout(timer)
      }
    })
  }

  /** Returns a URL from which anyone can read the key for `PRESIGNED_FOR_S`. */
  async presign(key: string): Promise<string> {
    const url = new URL(this.#urlOf({ method: 'GET', key }))
    url.searchParams.set('X-Amz-Expires', String(PRESIGNED_FOR_S))
    const signer = new this.#signer({
      ...this.#credentials(),
      method: 'GET',
      url: url.href,
      signQuery: true,
    })
    return (await signer.sign()).url.href
  }

  /** The error for a response with an unexpected status. */
  unexpected(
    { method, key }: StoreRequest,
    { status, body }: Pick<StoreResponse, 'status' | 'body'>,
  ) {
    const code = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(Buffer.from(body).toString('latin1'))?.[1]
    const result = code ? `${status} ${code}` : String(status)
    const subject = `${method} ${key ?? 'of the bucket'}`
    return new ArchiveError('archive_unavailable', `${this.#name}: ${subject}: answers ${result}`)
  }

  async #retrying<T extends { status: number; body: unknown }>(
    attempt: () => Promise<T>,
  ): Promise<T> {
    const { tries, random } = this.#retryPolicy
    for (let n = 1; ; n++) {
      try {
        const response = await attempt()
        if (!TRANSIENT_STATUSES.includes(response.status) || n >= tries) return response
        if (response.body instanceof ReadableStream) await response.body.cancel()
      } catch (error) {
        if (n >= tries) throw unreachable(this.#name, error as Error)
      }
      await sleep(random() * FIRST_PAUSE_MS * 2 ** (n - 1))
    }
  }

  /** Signs, then fetches. The fetch of aws4fetch loses its abort signal at the next garbage collection. */
  async #fetch(request: StoreRequest, signal: AbortSignal): Promise<Response> {
    const { method, body } = request
    // Stores check the body against this hash; by default aws4fetch signs UNSIGNED-PAYLOAD instead.
    const sha256 = createHash('sha256').update(body ?? '')
    const headers = {
      ...request.headers,
      'x-amz-content-sha256': sha256.copy().digest('hex'),
      ...(body && { 'x-amz-checksum-sha256': sha256.digest('base64') }),
    }
    const signer = new this.#signer({
      ...this.#credentials(),
      method,
      url: this.#urlOf(request),
      headers,
      ...(body && { body: body as BodyInit }),
    })
    const signed = await signer.sign()
    return fetch(signed.url, {
      method,
      headers: signed.headers,
      body: (body as BodyInit | undefined) ?? null,
      redirect: 'manual',
      signal,
    })
  }

  #credentials() {
    const { accessKeyId, secretAccessKey, sessionToken, region } = this.#access
    return {
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      region,
      service: 's3',
    }
  }

  #urlOf({ key, query }: StoreRequest): string {
    const search = query ? `?${new URLSearchParams(query)}` : ''
    return `${this.#base}${key === undefined ? '' : `/${key}`}${search}`
  }
}

/** Reads a body, and cancels what is left of it after `limit` bytes. */
export async function readBody(
  body: ReadableStream<Uint8Array> | null,
  limit = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= limit) break
  }
  return (await new Blob(chunks as BlobPart[]).bytes()).subarray(0, limit)
}

async function loadSigner(): Promise<Signer> {
  const need = 'an archive on an object store needs the package aws4fetch'
  return (await loadOptional(() => import('aws4fetch'), need)).AwsV4Signer
}

function unreachable(name: string, error: Error): ArchiveError {
  const isLate = error.name === 'TimeoutError' || error.name === 'AbortError'
  const reason = isLate
    ? 'gives no answer in time'
    : `cannot be reached: ${describeFetchError(error)}`
  return new ArchiveError('archive_unavailable', `${name}: the store ${reason}`, { cause: error })
}

/** Passes a body through, and aborts its request when no byte arrives for `STALL_TIMEOUT_MS`. */
function abortingWhenStalled(
  body: ReadableStream<Uint8Array>,
  controller: AbortController,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(target) {
        const timer = setTimeout(() => controller.abort(), STALL_TIMEOUT_MS)
        try {
          const { done, value } = await reader.read()
          if (done) target.close()
          else target.enqueue(value)
        } finally {
          clearTimeout(timer)
        }
      },
      async cancel(reason) {
        await reader.cancel(reason).catch(() => {})
        controller.abort()
      },
    },
    // Do not read ahead of the consumer.
    { highWaterMark: 0 },
  )
}
