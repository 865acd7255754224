// Reads files from servers that are not trusted: bounds sizes, retries transient failures, honours Retry-After, and
// stops asking a server that keeps failing.
import { setTimeout as sleepFor } from 'node:timers/promises'
import {
  exchange,
  type FetchedAnswer,
  type HttpRequest,
  type StartTimer,
  startTimer,
} from './exchange.ts'
import { FetchFailure } from './failure.ts'

/** How long to try. */
export interface Limits {
  /** The maximum number of times that a request is sent. */
  tries: number
  /** The pause before the second try, doubled before each further one [ms]. */
  pauseMs: number
  /** See ExchangeOptions. */
  stallMs: number
  /** For all Retry-After waits of a client, so that a hostile server cannot delay every file [ms]. */
  maxWaitMs: number
  /** After the server failed for this many files in a row, the remaining files are not requested. */
  maxFailed: number
}

/** For a run that nobody waits for (COMMANDS.md 4.2). */
const RUN_LIMITS: Limits = {
  tries: 5,
  pauseMs: 1_000,
  stallMs: 30_000,
  maxWaitMs: 3_600_000,
  maxFailed: 5,
}

/** For a check that somebody watches (FORMAT.md 12.2). */
export const CHECK_LIMITS: Limits = { ...RUN_LIMITS, tries: 3, maxWaitMs: 60_000 }

export interface ClientOptions extends Partial<Limits> {
  /** Aborts every request and pause, which reject with its reason. */
  signal?: AbortSignal | undefined
  /** Returns a number from 0 to 1, which scales the pauses; 1 by default. */
  random?(): number
  /** Waits for this many ms. */
  sleep?(ms: number): Promise<unknown>
  startTimer?: StartTimer
}

export class Client {
  readonly #limits: Limits
  readonly #signal: AbortSignal | undefined
  readonly #random: () => number
  readonly #sleep: (ms: number) => Promise<unknown>
  readonly #startTimer: StartTimer
  /** Files in a row for which the server did not respond, failed, or asked for too long a wait. */
  #failed = 0
  /** The message of the last of them. */
  #lastFailure = ''
  /** What remains of `maxWaitMs`. */
  #waitLeft: number
  /** The current Retry-After wait, which applies to all files. */
  #waiting: Promise<unknown> | null = null

  /** @param options `RUN_LIMITS` unless they state something else */
  constructor({ signal, random, sleep, startTimer: start, ...limits }: ClientOptions = {}) {
    this.#limits = { ...RUN_LIMITS, ...limits }
    this.#signal = signal
    this.#random = random ?? (() => 1)
    this.#sleep = sleep ?? ((ms) => sleepFor(ms, undefined, { signal }))
    this.#startTimer = start ?? startTimer
    this.#waitLeft = this.#limits.maxWaitMs
  }

  /** Waits as between two attempts. @throws the signal's reason when it is aborted */
  async pause(ms: number): Promise<void> {
    try {
      await this.#sleep(ms)
    } catch (error) {
      this.#signal?.throwIfAborted()
      throw error
    }
  }

  /**
   * Sends a request once. The answer must be closed.
   * @throws FetchFailure `unreachable`
   */
  send(request: HttpRequest): Promise<FetchedAnswer> {
    const { stallMs } = this.#limits
    return exchange(request, { stallMs, startTimer: this.#startTimer, signal: this.#signal })
  }

  /**
   * Makes an attempt, and repeats it while it fails with a transient FetchFailure.
   * @throws FetchFailure, the last one
   */
  async retrying<T>(url: string, attempt: () => Promise<T>): Promise<T> {
    const { tries, maxFailed } = this.#limits
    for (let failures = 0; ; ) {
      await this.#waiting
      if (this.#failed >= maxFailed)
        throw new FetchFailure(
          'unreachable',
          `not requested, since the server failed for ${maxFailed} files in a row: ${this.#lastFailure}`,
        )
      try {
        const result = await attempt()
        this.#failed = 0
        return result
      } catch (error) {
        if (!(error instanceof FetchFailure)) throw error
        error.url = url
        if (!error.isThrottled) failures += 1
        if (!error.isTransient || failures === tries) {
          if (error.isOfServer) this.#countFailure(error)
          else this.#failed = 0
          throw error
        }
        await this.#pauseAfter(error, failures)
      }
    }
  }

  /**
   * Requests a file until `take` accepts a response.
   * @param take called with each response of status 200 or 206, and 304 to a condition; rejects with FetchFailure to try again
   * @throws FetchFailure
   */
  get<T>(
    url: string,
    headers: () => Record<string, string>,
    take: (answer: FetchedAnswer) => Promise<T>,
  ): Promise<T> {
    return this.retrying(url, async () => {
      const sent = headers()
      const answer = await this.send({ url, headers: sent })
      const isUnchanged = answer.status === 304 && 'if-none-match' in sent
      try {
        if (answer.status !== 200 && answer.status !== 206 && !isUnchanged)
          throw statusFailure(answer)
        return await take(answer)
      } finally {
        answer.close()
      }
    })
  }

  #countFailure({ message }: FetchFailure): void {
    this.#failed += 1
    this.#lastFailure = message
  }

  /** @param failures the number of failed attempts so far */
  async #pauseAfter(failure: FetchFailure, failures: number): Promise<void> {
    if (failure.waitMs === null)
      return this.pause(this.#random() * this.#limits.pauseMs * 2 ** (failures - 1))
    await this.#waitAsTold(failure, failure.waitMs)
  }

  /** Honours Retry-After. @throws FetchFailure, this one, if the client would wait too long in total */
  async #waitAsTold(failure: FetchFailure, ms: number): Promise<void> {
    if (this.#waiting === null) {
      if (ms > this.#waitLeft) {
        const minutes = this.#limits.maxWaitMs / 60_000
        const most = minutes === 1 ? '1 minute' : `${minutes} minutes`
        this.#countFailure(failure)
        throw failure.with(`asks to wait beyond the ${most} that a run has for that`)
      }
      this.#waitLeft -= ms
      this.#waiting = this.pause(ms).finally(() => {
        this.#waiting = null
      })
    }
    await this.#waiting
  }
}

/** The failure for an answer whose status is not the one wanted. */
export function statusFailure(
  answer: FetchedAnswer,
  isTransient = answer.status >= 500 || answer.status === 429,
): FetchFailure {
  const { status } = answer
  const isRedirect = status >= 300 && status < 400
  const message = `the server answers ${status}${isRedirect ? ', and redirects are not followed' : ''}`
  if (status === 404 || status === 410)
    return new FetchFailure('missing', message, { isTransient: false })
  const waitMs = status === 429 || status === 503 ? retryAfterMs(answer) : null
  return new FetchFailure('http_status', message, {
    isTransient,
    waitMs,
    isThrottled: status === 429 && waitMs !== null,
  })
}

/** The shortest wait that a Retry-After may ask for [ms]. */
const MIN_WAIT_MS = 1_000

/** Parses Retry-After [ms]: seconds, or a date, which is relative to the server's own clock; null if that fails. */
function retryAfterMs({ header }: FetchedAnswer): number | null {
  const value = header('retry-after')
  if (value === null) return null
  const date = Date.parse(value) - Date.parse(header('date') ?? '')
  const ms = /^[0-9]{1,9}$/.test(value) ? Number(value) * 1000 : date
  return Number.isNaN(ms) ? null : Math.max(ms, MIN_WAIT_MS)
}
