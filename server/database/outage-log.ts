// Keeps the process log short while the database is away or its disk is full: the first failure is logged at once, and
// then one line a second counts those of all requests and background tasks.
import type { LogFn, Logger } from 'pino'
import { isUnavailable, NewerSchema } from './errors.ts'

const SUMMARY_MS = 1_000

/** Returns the log with entries whose `err` reports an unavailable database summarised, at level error and without stacks. */
export function summariseOutages(log: Logger): Logger {
  let latest: Error | undefined
  /** Failures since the last line. */
  let count = 0
  /** Runs for a second after each line. */
  let pause: NodeJS.Timeout | undefined
  const summarise = () => {
    const more = count > 1 ? ` (and ${count - 1} more)` : ''
    log.error(`the database is unavailable: ${latest?.message}${more}`)
    count = 0
    pause = setTimeout(() => {
      pause = undefined
      if (count > 0) summarise()
    }, SUMMARY_MS).unref()
  }
  const unlessOutage =
    (write: LogFn): LogFn =>
    (first: unknown, ...rest: [string?]) => {
      const { err } = Object(first) as { err?: unknown }
      // The database itself reports a newer schema, once.
      if (err instanceof NewerSchema) return
      if (!isUnavailable(err)) return write.call(log, first, ...rest)
      latest = err as Error
      count++
      if (!pause) summarise()
    }
  return Object.assign(log.child({}), {
    warn: unlessOutage(log.warn),
    error: unlessOutage(log.error),
  })
}
