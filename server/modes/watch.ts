// Polls for changes of the modes, which the operator's command makes from another process.
import type { Modes } from './rules.ts'

/** A change takes effect at once, but the heartbeat that records its time may be this late [ms]. */
const WATCH_EVERY_MS = 500

export interface WatchOptions {
  modes(): Promise<Modes>
  /** Called after each change. */
  onChange(): Promise<void>
  log: { warn(fields: object, message: string): void }
}

/** Polls now, and until `stop`. Logs a failure and retries at the next poll. */
export function watchModes({ modes, onChange, log }: WatchOptions): { stop(): void } {
  let known: string | undefined
  const poll = async () => {
    const current = JSON.stringify(await modes())
    if (known !== undefined && known !== current) await onChange()
    known = current
  }
  const attempt = () => void poll().catch((err) => log.warn({ err }, 'the modes could not be read'))
  attempt()
  const timer = setInterval(attempt, WATCH_EVERY_MS)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
