// Downloads files from an untrusted server: follows no redirects, bounds sizes, gives up on stalls, and
// retries transient failures.
import { setTimeout as sleep } from 'node:timers/promises'
import { describeFetchError, isMissingStatus } from '../fetch-error.ts'
import type { FindingCode } from '../verify/findings.ts'

/** Give up when a server sends less than `MIN_BYTES` in this time and the response has not ended. */
const STALL_MS = 30_000
/** Far below the speed of any real connection; stops a server that keeps a run busy with a byte now and then. */
const MIN_BYTES = 16 * 1024
/** Per file. */
const MAX_ATTEMPTS = 5
/** Before the second attempt; doubled before each further one. */
const PAUSE_MS = 1_000
/** For all Retry-After waits of a run, so that a hostile server cannot delay every file. */
const MAX_WAIT_MS = 3_600_000
/** After the server failed for this many files in a row, the remaining files are not requested. */
const MAX_FAILED = 5

export interface ClientOptions {
  stallMs?: number
  /** Waits for this many ms. */
  sleep?: (ms: number) => Promise<unknown>
}

/** A response whose body has not been read yet. */
export interface FileResponse {
  status: number
  headers: Headers
  /** Throws FetchFailure if the server stalls or the connection breaks. */
  chunks: AsyncIterable<Uint8Array>
}

/** A failed download, with a one-line message. */
export class FetchFailure extends Error {
  override name = 'FetchFailure'
  readonly code: FindingCode
  /** The requested file; null if the failure is not about one file. */
  url: string | null = null
  /** Whether another attempt may succeed. */
  readonly isTransient: boolean
  /** Retry-After [ms]; null if the server sent none that can be parsed. */
  readonly waitMs: number | null
  /** The server rejects requests for their rate, which does not count as a failed attempt. */
  readonly isThrottled: boolean

  constructor(
    code: FindingCode,
    message: string,
    {
      isTransient = true,
      waitMs = null,
      isThrottled = false,
    }: { isTransient?: boolean; waitMs?: number | null; isThrottled?: boolean } = {},
  ) {
    super(message)
    this.code = code
    this.isTransient = isTransient
    this.waitMs = waitMs
    this.isThrottled = isThrottled
  }
}

export class Client {
  readonly #stallMs: number
  readonly #sleep: (ms: number) => Promise<unknown>
  /** Files in a row for which the server did not respond, failed, or asked for too long a wait. */
  #failed = 0
  /** What remains of `MAX_WAIT_MS`. */
  #waitLeft = MAX_WAIT_MS
  /** The current Retry-After wait, which applies to all files. */
  #waiting: Promise<unknown> | null = null

  constructor({ stallMs = STALL_MS, sleep: pause = sleep }: ClientOptions = {}) {
    this.#stallMs = stallMs
    this.#sleep = pause
  }

  /** Waits as between two attempts. */
  async pause(ms: number): Promise<void> {
    await this.#sleep(ms)
  }

  /**
   * Requests a file until `take` accepts a response, at most five times.
   * @param take called with each response of status 200 or 206; rejects with FetchFailure to try again
   * @throws FetchFailure
   */
  async get<T>(
    url: string,
    headers: () => Record<string, string>,
    take: (response: FileResponse) => Promise<T>,
  ): Promise<T> {
    for (let failures = 0; ; ) {
      await this.#waiting
      if (this.#failed >= MAX_FAILED)
        throw new FetchFailure(
          'unreachable',
          `not requested, since the server failed for ${MAX_FAILED} files in a row`,
        )
      try {
        const taken = await this.#attempt(url, headers(), take)
        this.#failed = 0
        return taken
      } catch (error) {
        if (!(error instanceof FetchFailure)) throw error
        error.url = url
        const pause = PAUSE_MS * 2 ** failures
        if (!error.isThrottled) failures += 1
        if (!error.isTransient || failures === MAX_ATTEMPTS) {
          this.#failed = isOfServer(error) ? this.#failed + 1 : 0
          throw error
        }
        await (error.waitMs === null ? this.#sleep(pause) : this.#waitAsTold(error, error.waitMs))
      }
    }
  }

  /** Honours Retry-After. @throws FetchFailure, this one, if the run would wait too long in total */
  async #waitAsTold(failure: FetchFailure, ms: number): Promise<void> {
    if (this.#waiting === null) {
      if (ms > this.#waitLeft) {
        this.#failed += 1
        failure.message += `, and asks to wait beyond the ${MAX_WAIT_MS / 60_000} minutes that a run has for that`
        throw failure
      }
      this.#waitLeft -= ms
      this.#waiting = this.#sleep(ms).finally(() => {
        this.#waiting = null
      })
    }
    await this.#waiting
  }

  /** Downloads a whole file of at most `limit` bytes. @throws FetchFailure */
  read(url: string, limit: number): Promise<Uint8Array> {
    return this.get(
      url,
      () => ({}),
      async ({ status, chunks }) => {
        if (status !== 200) throw failedWith(status)
        const parts: Uint8Array[] = []
        let length = 0
        for await (const chunk of chunks) {
          length += chunk.length
          if (length > limit)
            throw new FetchFailure('too_large', `is longer than ${limit} bytes`, {
              isTransient: false,
            })
          parts.push(chunk)
        }
        return Buffer.concat(parts)
      },
    )
  }

  async #attempt<T>(
    url: string,
    headers: Record<string, string>,
    take: (response: FileResponse) => Promise<T>,
  ): Promise<T> {
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(), this.#stallMs)
    try {
      const response = await this.#request(url, headers, controller.signal)
      const { status } = response
      if (status !== 200 && status !== 206) throw failureOf(response)
      const chunks = this.#chunksOf(response, timer, controller.signal)
      return await take({ status, headers: response.headers, chunks })
    } finally {
      clearTimeout(timer)
      // Closes the connection if the response was not read to the end.
      controller.abort()
    }
  }

  async #request(url: string, headers: Record<string, string>, signal: AbortSignal) {
    try {
      return await fetch(url, {
        redirect: 'manual',
        headers: { 'accept-encoding': 'identity', ...headers },
        signal,
      })
    } catch (error) {
      throw this.#networkFailure(error, signal)
    }
  }

  async *#chunksOf(
    { body }: Response,
    timer: NodeJS.Timeout,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    const reader = body?.getReader()
    let received = 0
    for (;;) {
      const read = await reader?.read().catch((error) => {
        throw this.#networkFailure(error, signal)
      })
      if (!read || read.done) return
      received += read.value.length
      if (received >= MIN_BYTES) {
        received = 0
        timer.refresh()
      }
      yield read.value
    }
  }

  #networkFailure(error: unknown, { aborted }: AbortSignal): FetchFailure {
    if (aborted)
      return new FetchFailure('unreachable', `too little arrived for ${this.#stallMs / 1000} s`)
    return new FetchFailure('unreachable', describeFetchError(error))
  }
}

/** The failure for a response without a file. */
function failureOf({ status, headers }: Response): FetchFailure {
  if (status !== 429 && status !== 503) return failedWith(status)
  const waitMs = retryAfterMs(headers)
  const isThrottled = status === 429 && waitMs !== null
  return new FetchFailure('http_status', `the server answers ${status}`, { waitMs, isThrottled })
}

/** Whether the server failed, rather than lacking this file or sending other bytes. */
function isOfServer({ code, isTransient }: FetchFailure): boolean {
  return isTransient && (code === 'unreachable' || code === 'http_status')
}

/** The failure for any other status. */
function failedWith(status: number): FetchFailure {
  if (isMissingStatus(status))
    return new FetchFailure('missing', 'the server does not have it', { isTransient: false })
  const isRedirect = status >= 300 && status < 400
  const message = `the server answers ${status}${isRedirect ? ', and redirects are not followed' : ''}`
  return new FetchFailure('http_status', message, { isTransient: status >= 500 })
}

/** Parses Retry-After [ms]: seconds, or a date, which is relative to the server's own clock; null if that fails. */
function retryAfterMs(headers: Headers): number | null {
  const value = headers.get('retry-after')
  if (value === null) return null
  const date = Date.parse(value) - Date.parse(headers.get('date') ?? '')
  const ms = /^[0-9]{1,9}$/.test(value) ? Number(value) * 1000 : date
  return Number.isNaN(ms) ? null : Math.max(ms, PAUSE_MS)
}
