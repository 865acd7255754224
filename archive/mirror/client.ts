// Asks a server for files, and trusts nothing that it is sent: no redirect is followed, sizes are
// bounded, a server that stalls is given up. What may pass is tried again.
import { setTimeout as sleep } from 'node:timers/promises'
import { describeFetchError } from '../fetch-error.ts'
import type { FindingCode } from '../verify/findings.ts'

/** A server that sends less than `MIN_BYTES` for so long is given up, unless the answer ends by then. */
const STALL_MS = 30_000
/** Far below any line in use; without it a server that sends a byte now and then would keep a run for ever. */
const MIN_BYTES = 16 * 1024
/** So often a file is tried. */
const ATTEMPTS = 5
/** Before the second attempt; doubled before each further one. */
const PAUSE_MS = 1_000
/** In one run, of all waits that a server asks for: a hostile one must not hold it for an hour a file. */
const MAX_WAIT_MS = 3_600_000
/** After so many files in a row without any answer, the rest is not asked for. */
const MAX_SILENT = 5

export interface ClientOptions {
  stallMs?: number
  /** Waits [ms]. */
  sleep?: (ms: number) => Promise<unknown>
}

/** An answer whose body has not been read. */
export interface Answer {
  status: number
  headers: Headers
  /** Throws FetchFailure where the server stalls or breaks off. */
  chunks: AsyncIterable<Uint8Array>
}

/** Why a file could not be had, in one line. */
export class FetchFailure extends Error {
  override name = 'FetchFailure'
  readonly code: FindingCode
  /** What was asked for; null where that was not one file. */
  url: string | null = null
  /** Whether another attempt may succeed. */
  readonly passing: boolean
  /** What the server asks to wait [ms]; null when it does not. */
  readonly waitMs: number | null
  /** Whether it says that there were too many requests, which is no failure of the file. */
  readonly isThrottled: boolean

  constructor(
    code: FindingCode,
    message: string,
    {
      passing = true,
      waitMs = null,
      isThrottled = false,
    }: { passing?: boolean; waitMs?: number | null; isThrottled?: boolean } = {},
  ) {
    super(message)
    this.code = code
    this.passing = passing
    this.waitMs = waitMs
    this.isThrottled = isThrottled
  }
}

export class Client {
  readonly #stallMs: number
  readonly #sleep: (ms: number) => Promise<unknown>
  #silent = 0
  /** Of the waits that a server may ask for [ms]. */
  #waitLeft = MAX_WAIT_MS
  /** The wait that the server has asked for now, which holds for every file. */
  #waiting: Promise<unknown> | null = null

  constructor({ stallMs = STALL_MS, sleep: pause = sleep }: ClientOptions = {}) {
    this.#stallMs = stallMs
    this.#sleep = pause
  }

  /** Waits, as between two attempts. */
  async pause(ms: number): Promise<void> {
    await this.#sleep(ms)
  }

  /**
   * Asks for a file until `take` has taken an answer, at most five times.
   * @param take is called with each answer of status 200 or 206
   * @throws FetchFailure
   */
  async get<T>(
    url: string,
    headers: () => Record<string, string>,
    take: (answer: Answer) => Promise<T>,
  ): Promise<T> {
    for (let failures = 0; ; ) {
      await this.#waiting
      if (this.#silent >= MAX_SILENT)
        throw new FetchFailure('unreachable', 'not asked for, since the server no longer answers')
      try {
        const taken = await this.#attempt(url, headers(), take)
        this.#silent = 0
        return taken
      } catch (error) {
        if (!(error instanceof FetchFailure)) throw error
        error.url = url
        if (!error.passing) throw error
        const pause = PAUSE_MS * 2 ** failures
        if (!error.isThrottled) failures += 1
        if (failures === ATTEMPTS) {
          if (error.code === 'unreachable') this.#silent += 1
          throw error
        }
        await (error.waitMs === null ? this.#sleep(pause) : this.#waitAsAsked(error, error.waitMs))
      }
    }
  }

  /** @throws FetchFailure, the same with another message, when a run would wait too long in all */
  async #waitAsAsked(failure: FetchFailure, ms: number): Promise<void> {
    if (this.#waiting === null) {
      if (ms > this.#waitLeft) {
        this.#silent += 1
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

  /** A whole file of at most `limit` bytes. @throws FetchFailure */
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
            throw new FetchFailure('too_large', `is longer than ${limit} bytes`, { passing: false })
          parts.push(chunk)
        }
        return Buffer.concat(parts)
      },
    )
  }

  async #attempt<T>(
    url: string,
    headers: Record<string, string>,
    take: (answer: Answer) => Promise<T>,
  ): Promise<T> {
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(), this.#stallMs)
    try {
      const response = await this.#ask(url, headers, controller.signal)
      const { status } = response
      if (status !== 200 && status !== 206) throw refusalOf(response)
      const chunks = this.#chunksOf(response, timer, controller.signal)
      return await take({ status, headers: response.headers, chunks })
    } finally {
      clearTimeout(timer)
      // Closes the connection of an answer that was not read to its end.
      controller.abort()
    }
  }

  async #ask(url: string, headers: Record<string, string>, signal: AbortSignal) {
    try {
      return await fetch(url, {
        redirect: 'manual',
        headers: { 'accept-encoding': 'identity', ...headers },
        signal,
      })
    } catch (error) {
      throw this.#silence(error, signal)
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
        throw this.#silence(error, signal)
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

  #silence(error: unknown, { aborted }: AbortSignal): FetchFailure {
    if (aborted)
      return new FetchFailure('unreachable', `too little came for ${this.#stallMs / 1000} s`)
    return new FetchFailure('unreachable', describeFetchError(error))
  }
}

/** The failure of an answer that brings no file. */
function refusalOf({ status, headers }: Response): FetchFailure {
  if (status === 429 || status === 503)
    return new FetchFailure('http_status', `the server answers ${status}`, {
      waitMs: waitAsked(headers),
      isThrottled: status === 429 && headers.has('retry-after'),
    })
  return failedWith(status)
}

/** The failure of any other status. */
function failedWith(status: number): FetchFailure {
  if (status === 404 || status === 410)
    return new FetchFailure('missing', 'the server does not have it', { passing: false })
  const isRedirect = status >= 300 && status < 400
  const message = `the server answers ${status}${isRedirect ? ', and redirects are not followed' : ''}`
  return new FetchFailure('http_status', message, { passing: status >= 500 })
}

/** Retry-After: seconds, or a date, which is compared with the server's own clock [ms]. */
function waitAsked(headers: Headers): number | null {
  const asked = headers.get('retry-after')
  if (asked === null) return null
  const date = Date.parse(asked) - Date.parse(headers.get('date') ?? '')
  const ms = /^[0-9]{1,9}$/.test(asked) ? Number(asked) * 1000 : date
  return Number.isNaN(ms) ? null : Math.max(ms, PAUSE_MS)
}
