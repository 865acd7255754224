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
  const { database, archive, signingKeyFile, clock, log } = deps
  /** The history of the database that was compared last; undefined before that. */
  let compared: string | null | undefined
  /** Since when a database waits to be compared [monotonic ms]; null if none does. */
  let since: number | null = clock.monotonic()
  /** What was logged last; null once everything is compared. */
  let problem: string | null = null
  let attempt: Promise<void> | null = null

  const isInTime = () => since !== null && clock.monotonic() - since < TIMEOUT_MS
  const complain = (found: string) => {
    if (found !== problem) log.error(`the database cannot be compared with the archive${found}`)
    problem = found
  }
  const compare = async () => {
    try {
      const options = { signingKeyFile, now: clock.now() }
      const { lost, problems, opening } = await compareWithArchive(database, archive, options)
      if (lost) log.error(lost, lineOfLost(lost))
      // What is damaged in the archive does not close the board.
      compared = opening.history
      since = null
      const reasons = problems.map(({ message }) => message).join('; ')
      if (reasons) complain(`; ids that it states may be given again: ${reasons}`)
      else problem = null
    } catch (error) {
      const writes = isInTime() ? 'are refused for up to a minute' : 'no longer wait for it'
      complain(`, and writes ${writes}: ${(error as Error).message}`)
    }
  }
  const attemptOnce = () => {
    attempt ??= compare().finally(() => {
      attempt = null
    })
    return attempt
  }

  const timer = setInterval(() => {
    if (since !== null || problem !== null) void attemptOnce()
  }, RETRY_MS).unref()
  await within(FIRST_ATTEMPT_MS, attemptOnce(), undefined)
  return {
    guard({ history }: Opening): Problem | null {
      if (history === compared) return null
      if (since === null) {
        since = clock.monotonic()
        void attemptOnce()
      }
      if (!isInTime()) return null
      const message = 'the database is being compared with the archive; try again soon'
      return new Problem('storage_unavailable', message, { 'retry-after': RETRY_S })
    },
    /** Whether writes wait for the first comparison. */
    isWaiting: () => compared === undefined,
    async stop(): Promise<void> {
      clearInterval(timer)
      if (attempt) await within(LAST_ATTEMPT_MS, attempt, undefined)
    },
  }
}
