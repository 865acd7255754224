// Refuses writes until the database has been compared with its archive (API.md 9.14): at the start, and whenever the
// database turns out to have another history, as after a promotion.
import type { Logger } from 'pino'
import type { StatementOptions, StatingPlace } from '../../archive/reading/stated-days.ts'
import type { Database, Opening } from '../database/database.ts'
import { type Clock, within } from '../system/system.ts'
import { Problem } from '../wire/problem.ts'
import { type Comparison, compareWithArchive, lineOfLost } from './restored.ts'

/** How long writes are refused at most [ms]. */
const TIMEOUT_MS = 60_000
/** The interval of attempts before that time is over, and after it [ms]. */
const RETRY_MS = { closed: 1_000, open: 30_000 }
/** How long a start waits for the first attempt, so that its first requests are usually accepted [ms]. */
const FIRST_ATTEMPT_MS = 2_000
/** How long a stop waits for an attempt [ms]. */
const LAST_ATTEMPT_MS = 1_000

const RETRY_AFTER_S = '5'

/**
 * Returns why nothing may be written now; null if it may. Each write transaction asks once it holds the lock, so the answer
 * comes from memory.
 * @param opening what the statement that took the lock has read
 */
export type WriteGuard = (opening: Opening) => Problem | null

export interface RestoreGuardDeps extends Pick<StatementOptions, 'keysAtHand'> {
  database: Pick<Database, 'db' | 'write'>
  archive: StatingPlace
  clock: Clock
  log: Pick<Logger, 'info' | 'error'>
}

export interface RestoreGuard {
  guard: WriteGuard
  /** Whether writes wait for the first comparison. */
  isWaiting(): boolean
  stop(): Promise<void>
}

/** Starts comparing. Resolves after the first attempt, or earlier if that takes long. */
export async function startRestoreGuard(deps: RestoreGuardDeps): Promise<RestoreGuard> {
  const comparer = new Comparer(deps)
  const timer = setInterval(() => comparer.tick(), RETRY_MS.closed).unref()
  await within(FIRST_ATTEMPT_MS, comparer.tick(), undefined)
  return {
    guard: ({ history }) => comparer.refusalOf(history),
    isWaiting: () => comparer.hasComparedNothing,
    async stop() {
      clearInterval(timer)
      await within(LAST_ATTEMPT_MS, comparer.attempt, undefined)
    },
  }
}

/** A database that has not been compared yet. */
interface Pending {
  /** Undefined until a transaction or a comparison has read it. */
  history: string | null | undefined
  /** [monotonic ms] */
  since: number
  /** When to try next [monotonic ms]. */
  due: number
  /** The problem that was logged last. */
  problem: string | null
}

/** The archive can be read, but not all of it be compared. */
const isPartial = ({ failures }: Comparison): boolean => failures.length > 0

class Comparer {
  readonly #deps: RestoreGuardDeps
  /** The history of the database that was compared last; undefined before that. */
  #compared: string | null | undefined
  #pending: Pending | null
  #isTrying = false
  /** Settles when the latest attempt has ended; never rejects. */
  attempt: Promise<void> = Promise.resolve()

  constructor(deps: RestoreGuardDeps) {
    this.#deps = deps
    this.#pending = this.#begin(undefined)
  }

  get hasComparedNothing(): boolean {
    return this.#compared === undefined
  }

  /** Returns why a database with this history may not be written now; null if it may. */
  refusalOf(history: string | null): Problem | null {
    if (history === this.#compared) return null
    let pending = this.#pending
    if (pending && pending.history === undefined) pending.history = history
    if (pending?.history !== history) {
      pending = this.#pending = this.#begin(history)
      this.tick()
    }
    if (!this.#isInTime(pending)) return null
    return new Problem(
      'storage_unavailable',
      'the database is being compared with the archive; try again soon',
      { 'retry-after': RETRY_AFTER_S },
    )
  }

  /** Tries if it is time to. */
  tick(): Promise<void> {
    const pending = this.#pending
    if (pending && !this.#isTrying && this.#deps.clock.monotonic() >= pending.due) {
      this.#isTrying = true
      this.attempt = this.#try(pending).finally(() => {
        this.#isTrying = false
      })
    }
    return this.attempt
  }

  async #try(pending: Pending): Promise<void> {
    const { database, archive, keysAtHand, clock } = this.#deps
    try {
      const now = clock.now()
      const comparison = await compareWithArchive(database, archive, { keysAtHand, now })
      this.#report(comparison, pending)
      // What is damaged in the archive does not close the board.
      this.#compared = pending.history = comparison.opening.history
      if (isPartial(comparison)) pending.due = clock.monotonic() + RETRY_MS.open
      else this.#pending = null
    } catch (error) {
      const isInTime = this.#isInTime(pending)
      pending.due = clock.monotonic() + (isInTime ? RETRY_MS.closed : RETRY_MS.open)
      const then = isInTime
        ? 'writes are refused for up to a minute'
        : 'writes no longer wait for it'
      this.#complain(pending, `, and ${then}: ${(error as Error).message}`)
    }
  }

  #report({ lost, failures }: Comparison, pending: Pending): void {
    if (lost) this.#deps.log.error(lost, lineOfLost(lost))
    if (failures.length === 0) return
    const reasons = failures.map(({ message }) => message).join('; ')
    this.#complain(pending, `; ids that it states may be given again: ${reasons}`)
  }

  /** Logs a problem once, as long as it stays the same. */
  #complain(pending: Pending, problem: string): void {
    if (problem === pending.problem) return
    pending.problem = problem
    this.#deps.log.error(`the database cannot be compared with the archive${problem}`)
  }

  #begin(history: string | null | undefined): Pending {
    const since = this.#deps.clock.monotonic()
    return { history, since, due: since, problem: null }
  }

  #isInTime({ since }: Pending): boolean {
    return this.#deps.clock.monotonic() - since < TIMEOUT_MS
  }
}
