// Requests to an S3-compatible store: signed by aws4fetch, sent by fetch, tried again with a random pause.
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ArchiveError } from '../errors.ts'
import { describeFetchError } from '../fetch-error.ts'
import { loadOptional } from '../optional-package.ts'
import type { StoreAccess } from './location.ts'

export interface StoreRequest {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE'
  /** Without it the request is about the bucket. */
  key?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Uint8Array
  /** How many bytes of the answer are read; all without it. */
  limit?: number
}

export interface StoreAnswer {
  status: number
  headers: Headers
  body: Uint8Array
}

/** What depends on who asks: a person waits for a page, a run has time. */
export interface Persistence {
  /** How often a request is sent before it is given up. */
  tries: number
  /** For each answer: to its last byte, or to its head where the body is streamed [ms]. */
  timeoutMs: number
  /** A number from 0 to 1, for the pauses. */
  random(): number
}

/** The longest pause before the second try; it doubles with each further one [ms]. */
const FIRST_PAUSE_MS = 100
/** A stream without a byte for so long is cut [ms]. */
const STALLED_MS = 30_000
/** How long a presigned address is valid [s]. */
const PRESIGNED_FOR_S = 300

/** 409: another write of the same key is in progress. 429 and 5xx: the store is busy or broken. */
const PASSING = [409, 429, 500, 502, 503, 504]

type Signer = typeof import('aws4fetch').AwsV4Signer

export class S3Client {
  readonly #signer: Signer
  readonly #access: StoreAccess
  readonly #base: string
  readonly #name: string
  readonly #persistence: Persistence

  /** @param name of the place, for errors */
  private constructor(
    signer: Signer,
    access: StoreAccess,
    bucket: string,
    name: string,
    persistence: Persistence,
  ) {
    this.#signer = signer
    this.#access = access
    this.#base = `${access.endpoint}/${bucket}`
    this.#name = name
    this.#persistence = persistence
  }

  static async open(
    access: StoreAccess,
    bucket: string,
    name: string,
    persistence: Persistence,
  ): Promise<S3Client> {
    return new S3Client(await loadSigner(), access, bucket, name, persistence)
  }

  /**
   * Sends a request until it has an answer that is not passing.
   * @throws ArchiveError `archive_unavailable` when there is none
   */
  async send(request: StoreRequest): Promise<StoreAnswer> {
    return this.#persistently(async () => {
      const { timeoutMs } = this.#persistence
      const response = await this.#fetch(request, AbortSignal.timeout(timeoutMs))
      const { status, headers } = response
      return { status, headers, body: await bytesOf(response, request.limit) }
    })
  }

  /**
   * Sends a GET whose body is read as fast as its reader takes it.
   * @throws ArchiveError `archive_unavailable`
   */
  async stream(
    request: StoreRequest,
  ): Promise<{ status: number; body: ReadableStream<Uint8Array> }> {
    return this.#persistently(async () => {
      const controller = new AbortController()
      const timer = setTimeout(() => controller.abort(), this.#persistence.timeoutMs)
      try {
        const { status, body } = await this.#fetch(request, controller.signal)
        return { status, body: cutWhenStalled(body ?? new Blob([]).stream(), controller) }
      } finally {
        clearTimeout(timer)
      }
    })
  }

  /** An address from which anybody can read a file, for `PRESIGNED_FOR_S`. */
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

  /** The sentence for an answer that the caller has no use for. */
  unexpected(
    { method, key }: StoreRequest,
    { status, body }: Pick<StoreAnswer, 'status' | 'body'>,
  ) {
    const code = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(Buffer.from(body).toString('latin1'))?.[1]
    const said = code ? `${status} ${code}` : String(status)
    const subject = `${method} ${key ?? 'of the bucket'}`
    return new ArchiveError('archive_unavailable', `${this.#name}: ${subject}: answers ${said}`)
  }

  async #persistently<T extends { status: number; body: unknown }>(
    attempt: () => Promise<T>,
  ): Promise<T> {
    const { tries, random } = this.#persistence
    for (let n = 1; ; n++) {
      try {
        const answer = await attempt()
        if (!PASSING.includes(answer.status) || n >= tries) return answer
        if (answer.body instanceof ReadableStream) await answer.body.cancel()
      } catch (error) {
        if (n >= tries) throw unreachable(this.#name, error as Error)
      }
      await sleep(random() * FIRST_PAUSE_MS * 2 ** (n - 1))
    }
  }

  /** Signs first: a signal that is given to aws4fetch's own fetch is lost at the next garbage collection. */
  async #fetch(request: StoreRequest, signal: AbortSignal): Promise<Response> {
    const { method, body } = request
    // Every real store checks this hash of what arrives; aws4fetch alone would leave it unsigned.
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

async function bytesOf({ body }: Response, limit = Number.POSITIVE_INFINITY): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  // Leaving the loop cancels what has not been read.
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

/** The same bytes; aborts the request behind them when none come for a while. */
function cutWhenStalled(
  body: ReadableStream<Uint8Array>,
  controller: AbortController,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(target) {
        const timer = setTimeout(() => controller.abort(), STALLED_MS)
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
    // Nothing is read before somebody asks.
    { highWaterMark: 0 },
  )
}
