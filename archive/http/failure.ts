// Failures of HTTP requests: one line for each, and whether another attempt may succeed.
import type { BadFileCode } from '../base/errors.ts'
import { systemCode } from '../base/system-error.ts'

type FailureOptions = ErrorOptions &
  Partial<Pick<FetchFailure, 'isTransient' | 'waitMs' | 'isThrottled' | 'url'>>

/** A request that brought no file, with a one-line message. */
export class FetchFailure extends Error {
  override name = 'FetchFailure'
  readonly code: BadFileCode
  /** The requested file; null if the failure is not about one file. */
  url: string | null = null
  /** Whether another attempt may succeed. */
  readonly isTransient: boolean = true
  /** Retry-After [ms]; null if the server sent none that can be parsed. */
  readonly waitMs: number | null = null
  /** The server rejects requests for their rate, which does not count as a failed attempt. */
  readonly isThrottled: boolean = false

  constructor(code: BadFileCode, message: string, { cause, ...how }: FailureOptions = {}) {
    super(message, { cause })
    this.code = code
    Object.assign(this, how)
  }

  /** The same failure with a further reason. */
  with(reason: string): FetchFailure {
    const { code, message, cause, isTransient, waitMs, isThrottled, url } = this
    const options = { cause, isTransient, waitMs, isThrottled, url }
    return new FetchFailure(code, `${message}, and ${reason}`, options)
  }

  /** Whether the server failed, rather than lacking this file or sending other bytes. */
  get isOfServer(): boolean {
    return this.isTransient && (this.code === 'unreachable' || this.code === 'http_status')
  }
}

/** The failure of a connection, as in `no answer (connect ECONNREFUSED 127.0.0.1:1)`. */
export function connectionFailure(error: Error): FetchFailure {
  const code = systemCode(error) ?? ''
  if (/^(ERR_SSL_|EPROTO$)/.test(code)) {
    // The whole message of OpenSSL spans several lines and is unreadable.
    const [, reason = code] = /SSL routines:[^:]*:([^:]+)/.exec(error.message) ?? []
    const message = `no TLS connection (${reason}); does the server speak plain http?`
    return new FetchFailure('unreachable', message, { isTransient: false, cause: error })
  }
  const what = code.startsWith('HPE_') ? 'no valid HTTP answer' : 'no answer'
  // The parser of node:http puts its own name before the reason.
  const message = `${what} (${error.message.replace(/^Parse Error: /, '') || code})`
  return new FetchFailure('unreachable', message, { cause: error })
}

/** The failure of a connection in the middle of an answer. */
export function bodyFailure(error: Error): FetchFailure {
  const code = systemCode(error) ?? ''
  const what = code.startsWith('HPE_')
    ? 'is not valid HTTP'
    : /^(Z_|ZSTD_|ERR__)/.test(code)
      ? 'cannot be decompressed'
      : 'ends early'
  return new FetchFailure('unreachable', `the answer ${what} (${error.message})`, { cause: error })
}
