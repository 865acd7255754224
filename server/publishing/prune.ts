// Deletes expired idempotency keys and ended rate windows in the background, in small slices.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { type ClockGuard, ClockProblem } from '../clock/guard.ts'
import type { Database } from '../database/database.ts'
import { KEY_LIFETIME_MS } from './idempotency.ts'

const PRUNE_EVERY_MS = 60_000

/** Rows deleted per transaction: a few milliseconds, so that requests are not held up. */
const SLICE_ROWS = 100n
const PAUSE_MS = 20

/** Prunes at once and then every minute, until `stop`. Logs a failure and retries a minute later. */
export function startPruning(
  database: Database,
  clockGuard: ClockGuard,
  log: { warn(fields: object, message: string): void },
) {
  const stopping = new AbortController()
  const work = async () => {
    while (!stopping.signal.aborted) {
      await prune(database, clockGuard, stopping.signal).catch((err: unknown) => {
        // The guard itself logs that the clock is wrong.
        if (!(err instanceof ClockProblem))
          log.warn({ err }, 'expired keys and windows could not be deleted')
      })
      await pause(PRUNE_EVERY_MS, stopping.signal)
    }
  }
  const ended = work()
  return {
    /** Resolves when the slice in flight is done. */
    stop: (): Promise<void> => {
      stopping.abort()
      return ended
    },
  }
}

/**
 * Deletes everything that has expired, slice by slice.
 * @throws ClockProblem while the clock is wrong: one that is ahead would delete keys and windows that are still needed
 */
export async function prune(
  database: Database,
  clockGuard: ClockGuard,
  signal: AbortSignal,
): Promise<void> {
  for (const slice of [deleteKeys, deleteWindows]) {
    const run = () =>
      database.write(async (tx, opening) => {
        const { wall } = await clockGuard.readAndAdmit(tx, opening)
        return (await slice(wall).execute(tx)).numAffectedRows
      })
    while (!signal.aborted && (await run()) === SLICE_ROWS) await pause(PAUSE_MS, signal)
  }
}

/** Deletes up to SLICE_ROWS expired keys. @param now [ms since 1970] */
const deleteKeys = (now: number) =>
  sql`delete from idempotency_keys where (operation, origin, key) in (
    select operation, origin, key from idempotency_keys
    where created_at <= ${now - KEY_LIFETIME_MS} order by created_at limit ${SLICE_ROWS})`

/** Deletes up to SLICE_ROWS ended windows. @param now [ms since 1970] */
const deleteWindows = (now: number) =>
  sql`delete from rate_windows where origin in (
    select origin from rate_windows
    where ends_at <= ${now} order by ends_at limit ${SLICE_ROWS})`

/** Resolves early when the service stops. Does not keep the process alive. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => undefined)
