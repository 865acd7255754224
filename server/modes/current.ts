// The modes in effect on this server: the operator's settings, which a command changes from another process, combined with those
// that the environment forces.
import type { ClockGuard } from '../clock/guard.ts'
import type { Database, Queryable } from '../database/database.ts'
import { within } from '../system/system.ts'
import { Problem } from '../wire/problem.ts'
import { cachedModes, readModes } from './queries.ts'
import { CLOSED_RETRY_S, combineModes, isClosedToMessages, type Modes } from './rules.ts'

/** How long a page waits for an unresponsive database [ms]. */
const TIMEOUT_MS = 500

export type CurrentModes = ReturnType<typeof currentModes>

export function currentModes(
  database: Pick<Database, 'db' | 'version'>,
  forced: Modes,
  clockGuard: Pick<ClockGuard, 'isWrong'>,
) {
  const read = async (db: Queryable) => combineModes(await readModes(db), forced)
  const cached = cachedModes(database, read)
  /** As read last; null before that. */
  let known: Modes | null = null
  /** Returns the modes, cached until the next commit. */
  const now = async () => {
    known = await cached()
    return known
  }
  return {
    in: read,
    now,
    /**
     * Whether no message can be published. Never rejects and does not wait for a database that hangs: while the modes
     * cannot be read, those read last count, and before that nothing can be published.
     */
    async isClosed(): Promise<boolean> {
      const current = await within(TIMEOUT_MS, now(), null).catch(() => null)
      const modes = current ?? known
      return clockGuard.isWrong || modes === null || isClosedToMessages(modes)
    },
    /** @throws Problem archive_unavailable while reads of the archive are switched off */
    async admitRead(): Promise<void> {
      const { disabled } = await now()
      if (disabled.includes('transmissions'))
        throw new Problem('archive_unavailable', 'the transmissions archive is switched off', {
          'retry-after': CLOSED_RETRY_S,
        })
    },
  }
}

/** A change takes effect at once, but the heartbeat that records its time may be this late [ms]. */
const WATCH_EVERY_MS = 500

interface WatchOptions {
  modes(): Promise<Modes>
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
