// Returns memory to the system after a burst of requests: V8 does not collect while the service is idle. deploy/run.js
// has glibc release the freed memory, too.
import { memoryUsage } from 'node:process'

const CHECK_INTERVAL_MS = 5_000
/** The service counts as idle below this share of one core. */
const IDLE_SHARE = 0.05
/** Below this resident size a collection is not worth its time. */
const MIN_RSS_BYTES = 110 * 1024 * 1024

/** The parts of its process that are needed, which tests replace. */
export interface Collected {
  /** Undefined unless node runs with --expose-gc, as under npm start. */
  gc: typeof globalThis.gc
  cpuUsage: typeof process.cpuUsage
  /** Resident size [bytes]. */
  rss(): number
}

/**
 * Collects garbage once after each busy period. Does nothing without `gc`.
 * @param intervalMs how often to check whether the service is idle [ms]
 */
export function collectWhenIdle(
  { gc, cpuUsage, rss }: Collected = {
    gc: globalThis.gc,
    cpuUsage: process.cpuUsage,
    rss: memoryUsage.rss,
  },
  intervalMs = CHECK_INTERVAL_MS,
): { stop(): void } {
  if (!gc) return { stop: () => {} }
  let before = cpuUsage()
  let wasBusy = true
  const check = () => {
    const { user, system } = cpuUsage(before)
    before = cpuUsage()
    const isIdle = (user + system) / 1_000 < IDLE_SHARE * intervalMs
    if (isIdle && wasBusy && rss() > MIN_RSS_BYTES)
      gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    wasBusy = !isIdle
  }
  const timer = setInterval(check, intervalMs).unref()
  return { stop: () => clearInterval(timer) }
}
