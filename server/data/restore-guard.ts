// Refuses writes until the database has been compared with its archive (API.md 9.14): at the start, and whenever the
// database turns out to have another history, as after a promotion.
import type { Logger } from 'pino'
import type { StatementOptions, StatingPlace } from '../../archive/reading/stated-days.ts'
import type { Database, Opening } from '../database/database.ts'
import { type Clock, within } from '../system/system.ts'
import { Problem } from '../wire/problem.ts'
import { compareWithArchive, lineOfLost } from './restored.ts'

/** How long writes are refused at most [ms]. */
const TIMEOUT_MS = 60_000
/** The interval of attempts until everything is compared [ms]; clients are told to wait as long. */
const RETRY_MS = 5_000
const RETRY_S = String(RETRY_MS / 1000)
/** How long a start waits for the first attempt, so that its first requests are usually accepted [ms]. */
const FIRST_ATTEMPT_MS = 2_000
/** How long a stop waits for an attempt [ms]. */
const LAST_ATTEMPT_MS = 1_000

/**
 * Returns why nothing may be written now; null if it may. Each write transaction asks once it holds the lock, so the answer
 * comes from memory.
 * @param opening what the statement that took the lock has read
 */
export type WriteGuard = (opening: Opening) => Problem | null

export interface RestoreGuardDeps extends Pick<StatementOptions, 'signingKeyFile'> {
  database: Pick<Database, 'db' | 'write'>
  archive: StatingPlace
  clock: Clock
  log: Pick<Logger, 'error'>
}

/** Starts comparing. Resolves after the first attempt, or earlier if that takes long. */
export async function startRestoreGuard(deps: RestoreGuardDeps) {
  const restores = new RestoreGuard(deps)
  await within(FIRST_ATTEMPT_MS, restores.attempt(), undefined)
  return restores
}

class RestoreGuard {
  readonly #deps: RestoreGuardDeps
  readonly #timer: NodeJS.Timeout
  /** The history of the database that was compared last; undefined before that. */
  #compared: string | null | undefined
  /** Since when a database waits to be compared [monotonic ms]; null if none does. */
  #since: number | null
  /** What was logged last; null once everything is compared. */
  #problem: string | null = null
  #attempt: Promise<void> | null = null

  constructor(deps: RestoreGuardDeps) {
    this.#deps = deps
    this.#since = deps.clock.monotonic()
    this.#timer = setInterval(() => {
      if (this.#since !== null || this.#problem !== null) void this.attempt()
    }, RETRY_MS).unref()
  }

  readonly guard: WriteGuard = ({ history }) => {
    if (history === this.#compared) return null
    if (this.#since === null) {
      this.#since = this.#deps.clock.monotonic()
      void this.attempt()
    }
    if (!this.#isInTime()) return null
    const message = 'the database is being compared with the archive; try again soon'
    return new Problem('storage_unavailable', message, { 'retry-after': RETRY_S })
  }

  /** Whether writes wait for the first comparison. */
  readonly isWaiting = (): boolean => this.#compared === undefined

  /** Makes an attempt, or joins the one in progress. */
  attempt(): Promise<void> {
    this.#attempt ??= this.#compare().finally(() => {
      this.#attempt = null
    })
    return this.#attempt
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    if (this.#attempt) await within(LAST_ATTEMPT_MS, this.#attempt, undefined)
  }

  async #compare(): Promise<void> {
    const { database, archive, signingKeyFile, clock, log } = this.#deps
    try {
      const options = { signingKeyFile, now: clock.now() }
      const { lost, problems, opening } = await compareWithArchive(database, archive, options)
      if (lost) log.error(lost, lineOfLost(lost))
      // What is damaged in the archive does not close the board.
      this.#compared = opening.history
      this.#since = null
      const reasons = problems.map(({ message }) => message).join('; ')
      if (reasons) this.#complain(`; ids that it states may be given again: ${reasons}`)
      else this.#problem = null
    } catch (error) {
      const writes = this.#isInTime() ? 'are refused for up to a minute' : 'no longer wait for it'
      this.#complain(`, and writes ${writes}: ${(error as Error).message}`)
    }
  }

  #isInTime(): boolean {
    return this.#since !== null && this.#deps.clock.monotonic() - this.#since < TIMEOUT_MS
  }

  #complain(found: string): void {
    if (found !== this.#problem)
      this.#deps.log.error(`the database cannot be compared with the archive${found}`)
    this.#problem = found
  }
}
