// Gives back the memory that a burst of requests has left: V8 keeps it until it has reason to collect, and a quiet
// service gives it none. What the C library then has free, glibc keeps unless npm start tells it otherwise: two arenas,
// and no more than 128 KiB at the end of the heap.
import { memoryUsage } from 'node:process'

const LOOK_MS = 5_000
/** The share of a core below which the service counts as quiet. */
const QUIET_SHARE = 0.05
/** With less there is nothing worth giving back. */
const MUCH_BYTES = 110 * 1024 * 1024

/**
 * Collects garbage once after each busy time. Does nothing unless node was started with --expose-gc, as npm start does.
 * @param lookMs how often it looks whether the service is quiet
 * @returns what ends it
 */
export function collectWhenIdle(lookMs = LOOK_MS): { stop(): void } {
  const { gc } = globalThis
  if (!gc) return { stop: () => {} }
  let before = process.cpuUsage()
  let hasWorked = true
  const look = () => {
    const { user, system } = process.cpuUsage(before)
    before = process.cpuUsage()
    const isQuiet = (user + system) / 1_000 < QUIET_SHARE * lookMs
    if (isQuiet && hasWorked && memoryUsage.rss() > MUCH_BYTES)
      gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    hasWorked = !isQuiet
  }
  const timer = setInterval(look, lookMs).unref()
  return { stop: () => clearInterval(timer) }
}
