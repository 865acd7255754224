// Sends one HTTP request and streams its answer: bounded in time, closed at any moment, and safe against every server.
import { type ClientRequest, type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { pipeline, type Readable } from 'node:stream'
import * as zlib from 'node:zlib'
import { systemCode } from '../base/system-error.ts'
import { VERSION } from '../base/version.ts'
import { bodyFailure, connectionFailure, FetchFailure } from './failure.ts'

/** An answer must bring this many bytes in each period of `stallMs`, which any real connection does. */
const MIN_BYTES = 16 * 1024

export interface HttpRequest {
  /** GET by default. */
  method?: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** An http or https address. */
  url: string
  headers?: Record<string, string>
  body?: Uint8Array
}

/** A timer that has been started. */
export interface Timer {
  /** Starts it again from the beginning. */
  refresh(): unknown
  stop(): void
}

/** Starts a timer that calls `run` after `ms`, unless it is stopped. */
export type StartTimer = (ms: number, run: () => void) => Timer

export const startTimer: StartTimer = (ms, run) => {
  const timer = setTimeout(run, ms)
  return { refresh: () => timer.refresh(), stop: () => clearTimeout(timer) }
}

export interface ExchangeOptions {
  /**
   * An exchange is given up when its head takes longer, or less than 16 KiB of its body arrive, in this time [ms]. The
   * time in which the caller does not read does not count.
   */
  stallMs: number
  startTimer: StartTimer
  /** Aborts the exchange at any moment, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
}

/** An answer whose body has not been read yet. It must be closed. */
export interface FetchedAnswer {
  readonly status: number
  header(name: string): string | null
  /**
   * The body, without a content coding. Throws FetchFailure if the server stalls, the connection breaks or the body is
   * invalid; the signal's reason if it is aborted.
   */
  readonly chunks: AsyncIterable<Uint8Array>
  /** Ends the exchange. The connection is used again if the whole answer was read, and closed otherwise. */
  close(): void
}

/**
 * Sends a request. Redirects are not followed. The proxies of the environment are used if NODE_USE_ENV_PROXY is set.
 * @throws FetchFailure `unreachable` if no answer begins in time; the signal's reason if it is aborted
 */
export async function exchange(
  request: HttpRequest,
  options: ExchangeOptions,
): Promise<FetchedAnswer> {
  options.signal?.throwIfAborted()
  for (;;) {
    const sent = new Exchange(request, options)
    try {
      return await sent.answer()
    } catch (error) {
      sent.close()
      // Each turn uses up an idle connection, and the first new one ends the loop.
      if (!sent.wasClosedWhileIdle) throw error
    }
  }
}

class Exchange {
  readonly #options: ExchangeOptions
  readonly #outgoing: ClientRequest
  readonly #body: Uint8Array | undefined
  readonly #timer: Timer
  readonly #onAbort = (): void => this.#abort(this.#options.signal?.reason)
  #incoming: IncomingMessage | null = null
  /** Why the exchange was aborted from this side; null if it was not. */
  #abortedFor: { reason: unknown } | null = null
  /** The first error of the connection; the answer's own error states less. */
  #error: Error | null = null
  /** Bytes since the timer was started. */
  #received = 0
  #isReading = true
  /** Whether the timer ran out while the caller did not read. */
  #isOver = false

  constructor({ method = 'GET', url, headers, body }: HttpRequest, options: ExchangeOptions) {
    this.#options = options
    this.#body = body
    const send = url.startsWith('https:') ? requestSecure : requestPlain
    this.#outgoing = send(url, {
      method,
      headers: {
        accept: '*/*',
        'accept-encoding': 'identity',
        'user-agent': `daysignal/${VERSION}`,
        ...headers,
      },
    })
    this.#timer = options.startTimer(options.stallMs, () => this.#timeOut())
    options.signal?.addEventListener('abort', this.#onAbort)
  }

  /** Whether the server closed a kept connection just when the request was sent on it, which is no failure. */
  get wasClosedWhileIdle(): boolean {
    const isClosed = ['ECONNRESET', 'EPIPE'].includes(systemCode(this.#error) ?? '')
    return this.#outgoing.reusedSocket && isClosed && !this.#abortedFor && !this.#incoming
  }

  async answer(): Promise<FetchedAnswer> {
    const outgoing = this.#outgoing
    const headed = Promise.withResolvers<IncomingMessage>()
    // Stays for the whole exchange: an error without a listener would end the process.
    outgoing.on('error', (error) => {
      this.#error ??= error
      headed.reject(error)
    })
    outgoing.on('response', headed.resolve)
    // After 101 Switching Protocols there is neither a response nor an error.
    outgoing.on('close', () => headed.reject(new Error('the connection was closed')))
    outgoing.end(this.#body)
    try {
      this.#incoming = await headed.promise
    } catch (error) {
      throw this.#reasonOr(connectionFailure(error as Error))
    }
    const { statusCode = 0, headers } = this.#incoming
    return {
      status: statusCode,
      header: (name) => headers[name]?.toString() ?? null,
      chunks: this.#chunks(this.#incoming, outgoing.method),
      close: () => this.close(),
    }
  }

  close(): void {
    this.#timer.stop()
    this.#options.signal?.removeEventListener('abort', this.#onAbort)
    if (!this.#incoming?.readableEnded || !this.#outgoing.writableFinished) this.#outgoing.destroy()
  }

  async *#chunks(incoming: IncomingMessage, method: string): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of method === 'HEAD' ? incoming : decoded(incoming)) {
        this.#pause(chunk.length)
        yield chunk
        this.#resume()
      }
    } catch (error) {
      throw this.#reasonOr(bodyFailure(this.#error ?? (error as Error)))
    } finally {
      this.close()
    }
  }

  #pause(bytes: number): void {
    this.#isReading = false
    this.#received += bytes
    if (this.#received >= MIN_BYTES) this.#restart()
  }

  #resume(): void {
    this.#isReading = true
    if (this.#isOver) this.#restart()
  }

  #restart(): void {
    this.#received = 0
    this.#isOver = false
    this.#timer.refresh()
  }

  #timeOut(): void {
    this.#isOver = true
    if (!this.#isReading) return
    const seconds = this.#options.stallMs / 1000
    this.#abort(new FetchFailure('unreachable', `too little arrived for ${seconds} s`))
  }

  #abort(reason: unknown): void {
    this.#abortedFor ??= { reason }
    this.#outgoing.destroy()
    this.#incoming?.destroy()
  }

  #reasonOr(failure: FetchFailure): unknown {
    return this.#abortedFor ? this.#abortedFor.reason : failure
  }
}

/** Zstandard is missing in older versions of Node, for which the package of readers is made, too. */
const DECODERS: Record<string, () => NodeJS.ReadWriteStream & Readable> = {
  gzip: zlib.createGunzip,
  'x-gzip': zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
  zstd: zlib.createZstdDecompress,
}

/** The body without its content coding, which some servers apply although `identity` was requested. */
function decoded(incoming: IncomingMessage): AsyncIterable<Uint8Array> {
  const coding = incoming.headers['content-encoding']?.toLowerCase() ?? ''
  const create = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined
  if (!create) return incoming
  // The reader of the decoder gets every error.
  return pipeline(incoming, create(), () => {})
}
