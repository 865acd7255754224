// Keeps the process log short while the database is away or its disk is full: the first failure is logged at once, and
// then one line a second counts those of all requests and background tasks.
import type { LogFn, Logger } from 'pino'
import { isUnavailable, NewerSchema } from './errors.ts'

const SUMMARY_MS = 1_000

/** Returns the log with entries whose `err` reports an unavailable database summarised, at level error and without stacks. */
export function summariseOutages(log: Logger): Logger {
  const outages = new Outages(log)
  const unlessOutage =
    (write: LogFn): LogFn =>
    (first: unknown, ...rest: [string?]) => {
      const { err } = Object(first) as { err?: unknown }
      // The database itself reports a newer schema, once.
      if (err instanceof NewerSchema) return
      if (isUnavailable(err)) outages.add(err as Error)
      else write.call(log, first, ...rest)
    }
  return Object.assign(log.child({}), {
    warn: unlessOutage(log.warn),
    error: unlessOutage(log.error),
  })
}

class Outages {
  readonly #log: Logger
  #latest: Error | undefined
  /** Failures since the last line. */
  #count = 0
  /** Runs for a second after each line. */
  #pause: NodeJS.Timeout | undefined

  constructor(log: Logger) {
    this.#log = log
  }

  add(failure: Error): void {
    this.#latest = failure
    this.#count++
    if (!this.#pause) this.#write()
  }

  #write(): void {
    const more = this.#count > 1 ? ` (and ${this.#count - 1} more)` : ''
    this.#log.error(`the database is unavailable: ${this.#latest?.message}${more}`)
    this.#count = 0
    this.#pause = setTimeout(() => {
      this.#pause = undefined
      if (this.#count > 0) this.#write()
    }, SUMMARY_MS).unref()
  }
}
