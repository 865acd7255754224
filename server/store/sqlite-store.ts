// The store on SQLite: a connection that writes, another that reads, and writers that wait their turn.
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { type Store, StoreUnavailable } from './contract.ts'
import { makeFolders } from './folders.ts'
import type { Schema } from './schema.ts'
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
 * A statement of several rows keeps what it would have to undo, in a file of its own unless told otherwise: that took a
 * batch of 64 creates an eighth of its time. Not for migrations, which may sort more than memory holds.
 */
const JOURNALS_IN_MEMORY = sql`pragma temp_store = memory`

/** As `openStore`. */
export async function openSqliteStore(path: string, options: { create: boolean }): Promise<Store> {
  if (options.create) makeFolders(dirname(path))
  const writer = await retryWhileLocked(path, () => openUpToDate(path, options.create))
  const reader = openSqliteReader<Schema>(path)
  const version = openDataVersion(path)
  const isSameFile = watchFile(path)
  const inTurn = takingTurns(path)
  return {
    db: reader,
    read: (work) =>
      reader
        .transaction()
        .setAccessMode('read only')
        .execute(work)
        .catch((error) => asUnavailable(path, error)),
    write: (work) =>
      inTurn(() => {
        if (!isSameFile())
          throw new StoreUnavailable(`${path}: was deleted or replaced; start again`)
        return writer.transaction().execute(work)
      }),
    version: () => version.current(),
    // One read transaction: writers go on, and nothing that was erased is in the copy.
    copyTo: async (file) => {
      await sql`vacuum into ${file}`.execute(reader).catch((error) => asUnavailable(file, error))
    },
    isReadable: () =>
      sql`select 1 from settings`.execute(reader).then(
        () => isSameFile(),
        () => false,
      ),
    close: async () => {
      version.close()
      await reader.destroy()
      await writer.destroy()
    },
  }
}

/**
 * SQLite goes on writing into a file that was deleted or replaced, where nobody finds it again (API.md 10.10).
 * @returns whether the file is still the one that it is now
 */
function watchFile(path: string): () => boolean {
  const { dev, ino } = statSync(path)
  return () => {
    const found = statSync(path, { throwIfNoEntry: false })
    return found?.ino === ino && found.dev === dev
  }
}

/**
 * Lets one writer of this process work at a time, in order of arrival, so that only the first meets another process's
 * lock. Each has its timeout from its arrival; while the lock is free, nobody runs out of it.
 */
function takingTurns(path: string): <T>(attempt: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (attempt) => {
    const deadline = performance.now() + LOCK_TIMEOUT_MS
    const turn = last.then(() => retryWhileLocked(path, attempt, deadline))
    last = turn.catch(() => {})
    return turn
  }
}

async function retryWhileLocked<T>(
  path: string,
  attempt: () => Promise<T>,
  deadline = performance.now() + LOCK_TIMEOUT_MS,
): Promise<T> {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) return asUnavailable(path, error)
      await sleep(LOCK_RETRY_MS)
    }
  }
}

/** The engine does not say which file it is about. */
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

/** One clear line that names the file; a lock is left as it is, since waiting cures it. */
function openingProblem(error: unknown, path: string): unknown {
  if (isBusy(error)) return error
  if (isNotADatabase(error)) return new Error(`${path}: not a SQLite database`)
  if (isSystemError(error))
    return new Error(`${path}: cannot be opened: ${reasonOf(error)}`, { cause: error })
  return isEngineFailure(error) ? new Error(`${path}: ${error.message}`, { cause: error }) : error
}
