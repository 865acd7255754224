// Deletes expired idempotency keys and ended rate windows in the background, in small slices.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Store } from '../store/database.ts'
import type { Clock } from '../system.ts'
import { KEY_LIFETIME_MS } from './idempotency.ts'

const PRUNE_EVERY_MS = 60_000

/** Rows deleted per transaction: a few milliseconds, so that requests are not held up. */
const SLICE_ROWS = 100
const PAUSE_MS = 20

export interface PruneOptions {
  store: Store
  clock: Clock
  log: { warn(fields: object, message: string): void }
}

export interface Pruning {
  /** Resolves when the slice in flight is done. */
  stop(): Promise<void>
}

/** Prunes at once and then every minute, until `stop`. Logs a failure and retries a minute later. */
export function startPruning({ store, clock, log }: PruneOptions): Pruning {
  const stopping = new AbortController()
  const work = async () => {
    while (!stopping.signal.aborted) {
      await prune(store, clock.now(), stopping.signal).catch((err: unknown) =>
        log.warn({ err }, 'expired keys and windows could not be deleted'),
      )
      await pause(PRUNE_EVERY_MS, stopping.signal)
    }
  }
  const ended = work()
  return {
    stop: () => {
      stopping.abort()
      return ended
    },
  }
}

/** A table of rate windows. Its primary key is ends_at, name, and one more column. */
interface WindowTable {
  table: 'rate_windows' | 'origin_counts'
  key: 'origin' | 'batch'
}

const WINDOW_TABLES: readonly WindowTable[] = [
  { table: 'rate_windows', key: 'origin' },
  { table: 'origin_counts', key: 'batch' },
]

/** Deletes everything that has expired, slice by slice. @param now [ms since 1970] */
export async function prune(store: Store, now: number, signal: AbortSignal): Promise<void> {
  const slices = [
    () => deleteKeys(store, now - KEY_LIFETIME_MS),
    ...WINDOW_TABLES.map((table) => () => deleteEnded(store, table, now)),
  ]
  for (const slice of slices)
    while (!signal.aborted && (await slice()) === SLICE_ROWS) await pause(PAUSE_MS, signal)
}

async function deleteKeys(store: Store, expiredAt: number): Promise<number> {
  const { numAffectedRows } = await store.write((tx) =>
    sql`delete from idempotency_keys where (operation, origin, key) in (
      select operation, origin, key from idempotency_keys
      where created_at <= ${expiredAt} order by created_at limit ${SLICE_ROWS})`.execute(tx),
  )
  return Number(numAffectedRows)
}

async function deleteEnded(
  store: Store,
  { table, key }: WindowTable,
  now: number,
): Promise<number> {
  const columns = sql.join(['ends_at', 'name', key].map((column) => sql.ref(column)))
  const { numAffectedRows } = await store.write((tx) =>
    sql`delete from ${sql.table(table)} where (${columns}) in (
      select ${columns} from ${sql.table(table)}
      where ends_at <= ${now} order by ends_at limit ${SLICE_ROWS})`.execute(tx),
  )
  return Number(numAffectedRows)
}

/** Resolves early when the service stops. Does not keep the process alive. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => undefined)
