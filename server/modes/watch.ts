// Notices changes of the modes, which the operator's command makes from another process.
import type { Modes } from './rules.ts'

/** A change takes effect at once; this is how late the heartbeat that dates it may be [ms]. */
const WATCH_EVERY_MS = 500

export interface WatchOptions {
  modes(): Promise<Modes>
  /** Called after each change. */
  onChange(): Promise<void>
  log: { warn(fields: object, message: string): void }
}

/** Watches until `stop`. A failed look is logged, and the next one tries again. */
export function watchModes({ modes, onChange, log }: WatchOptions): { stop(): void } {
  let known: string | undefined
  const look = async () => {
    const current = JSON.stringify(await modes())
    if (known !== undefined && known !== current) await onChange()
    known = current
  }
  const timer = setInterval(
    () => void look().catch((err) => log.warn({ err }, 'the modes could not be read')),
    WATCH_EVERY_MS,
  )
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
