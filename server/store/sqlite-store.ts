// The store on SQLite: one connection for writes, one for reads, and a queue of writers.
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Clock } from '../system.ts'
import { type Opening, type Store, StoreUnavailable } from './contract.ts'
import { makeFolders } from './folders.ts'
import type { Schema } from './schema.ts'
import { requireKnownSchema, stateOf } from './schema-version.ts'
import {
  isBusy,
  isEngineFailure,
  isNotADatabase,
  openDataVersion,
  openSqlite,
  openSqliteReader,
} from './sqlite.ts'
import { bringUpToDate } from './sqlite-schema.ts'
import { isSystemError, reasonOf } from './system-error.ts'

/** How long a write waits for another process's transaction before it fails [ms]. */
const LOCK_TIMEOUT_MS = 5_000
const LOCK_RETRY_MS = 5

/**
 * Keeps the statement journal of multi-row inserts in memory: as a temporary file, it took an eighth of the time of a
 * batch of 64 creates. Set after the migrations, which may sort more than fits in memory.
 */
const JOURNALS_IN_MEMORY = sql`pragma temp_store = memory`

/** SQLite runs in this process, so its clock is this machine's. */
const NO_CLOCK: Opening = { databaseTime: null, history: null }

/** As `openStore`. */
export async function openSqliteStore(
  path: string,
  { create, clock }: { create: boolean; clock: Clock },
): Promise<Store> {
  if (create) makeFolders(dirname(path))
  const writer = await retryWhileLocked(path, clock, () => openUpToDate(path, create))
  const reader = openSqliteReader<Schema>(path)
  const version = openDataVersion(path)
  const isSameFile = watchFile(path)
  const serialize = writerQueue(path, clock)
  return {
    db: reader,
    read: (work) =>
      reader
        .transaction()
        .setAccessMode('read only')
        .execute(work)
        .catch((error) => asUnavailable(path, error)),
    write: (work) =>
      serialize(() => {
        if (!isSameFile())
          throw new StoreUnavailable(`${path}: was deleted or replaced; restart the service`)
        return writer.transaction().execute(async (tx) => {
          await requireKnownSchema(tx)
          return work(tx, NO_CLOCK)
        })
      }),
    version: () => version.current(),
    // Runs in one read transaction, so writers continue; the copy contains no freed pages, and so no erased texts.
    copyTo: async (file) => {
      await sql`vacuum into ${file}`.execute(reader).catch((error) => asUnavailable(file, error))
    },
    state: async () => (isSameFile() ? stateOf(reader) : 'unavailable'),
    close: async () => {
      version.close()
      await reader.destroy()
      await writer.destroy()
    },
  }
}

/**
 * Detects that the file was deleted or replaced: SQLite would keep writing to the unlinked one (API.md 10.10).
 * @returns a check that the path still names the same file
 */
function watchFile(path: string): () => boolean {
  const { dev, ino } = statSync(path)
  return () => {
    const found = statSync(path, { throwIfNoEntry: false })
    return found?.ino === ino && found.dev === dev
  }
}

/**
 * Runs the writers of this process one at a time in order of arrival, so that only the first competes for the lock with
 * other processes. A writer's timeout starts at its arrival, and applies only while another process holds the lock.
 */
function writerQueue(path: string, clock: Clock): <T>(attempt: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (attempt) => {
    const deadline = clock.monotonic() + LOCK_TIMEOUT_MS
    const turn = last.then(() => retryWhileLocked(path, clock, attempt, deadline))
    last = turn.catch(() => {})
    return turn
  }
}

async function retryWhileLocked<T>(
  path: string,
  clock: Clock,
  attempt: () => Promise<T>,
  deadline = clock.monotonic() + LOCK_TIMEOUT_MS,
): Promise<T> {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isBusy(error) || clock.monotonic() > deadline) return asUnavailable(path, error)
      await sleep(LOCK_RETRY_MS)
    }
  }
}

/** Adds the path, which the engine's own messages lack. */
function asUnavailable(path: string, error: unknown): never {
  throw isEngineFailure(error)
    ? new StoreUnavailable(`${path}: ${error.message}`, { cause: error })
    : error
}

async function openUpToDate(path: string, create: boolean): Promise<Kysely<Schema>> {
  let db: Kysely<Schema> | undefined
  try {
    db = openSqlite<Schema>(path, create)
    await bringUpToDate(db, path)
    await JOURNALS_IN_MEMORY.execute(db)
    return db
  } catch (error) {
    await db?.destroy()
    throw openingProblem(error, path)
  }
}

/** Converts an error to one clear line that names the file. A lock error is returned as is: the caller retries it. */
function openingProblem(error: unknown, path: string): unknown {
  if (isBusy(error)) return error
  if (isNotADatabase(error)) return new Error(`${path}: not a SQLite database`)
  if (isSystemError(error))
    return new Error(`${path}: cannot be opened: ${reasonOf(error)}`, { cause: error })
  return isEngineFailure(error) ? new Error(`${path}: ${error.message}`, { cause: error }) : error
}
