// The database on SQLite: one connection for writes, one for reads, and a queue of writers; or reads alone.
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { Queue } from '../../../archive/base/concurrently.ts'
import { makeFolders } from '../../../archive/base/folders.ts'
import { isSystemError, reasonOf } from '../../../archive/base/system-error.ts'
import { type Clock, retried } from '../../system/system.ts'
import type { Database, Opening, OpenOptions } from '../database.ts'
import { DatabaseUnavailable, NewerSchema } from '../errors.ts'
import type { Schema } from '../schema/schema.ts'
import { newestIn, requireKnown, stateOf } from '../schema/version.ts'
import {
  openDataVersion,
  openSqlite,
  openSqliteReader,
  openUnwritable,
  requireWhole,
} from './driver.ts'
import { isBusy, isEngineFailure, isNotADatabase, isReadOnly, isUnwritable } from './errors.ts'
import { bringUpToDate, requireUpToDate } from './schema.ts'

/** How long a write waits for another process's transaction before it fails [ms]. */
const LOCK_TIMEOUT_MS = 5_000
const LOCK_RETRY_MS = 5

/** How long the write-ahead log may be in use until a deletion cannot be overwritten [ms]. */
const OVERWRITE_TIMEOUT_MS = 10_000

/**
 * Keeps the statement journal of multi-row inserts in memory: as a temporary file, it took an eighth of the time of a
 * batch of 64 creates. Set after the migrations, which may sort more than fits in memory.
 */
const JOURNALS_IN_MEMORY = sql`pragma temp_store = memory`

/** SQLite runs in this process, so its clock is this machine's. */
const NO_CLOCK: Opening = { databaseTime: null, history: null }

/** As `openDatabase`. */
export async function openSqliteDatabase(
  path: string,
  { create, clock, onlyReads = false }: OpenOptions,
): Promise<Database> {
  if (create)
    await makeFolders(dirname(path)).catch((error: NodeJS.ErrnoException) => {
      throw new Error(`${dirname(path)}: cannot be created: ${reasonOf(error)}`, { cause: error })
    })
  try {
    const open = () => openSqlite<Schema>(path, create)
    const writer = await retryWhileLocked(path, clock, () => prepared(path, open, forWriting))
    return databaseOf(writer, path, clock)
  } catch (error) {
    if (onlyReads && isUnwritable((error as Error).cause)) return openUnwritableDatabase(path)
    throw error
  }
}

function databaseOf(writer: Kysely<Schema>, path: string, clock: Clock): Database {
  const reader = openSqliteReader<Schema>(path)
  const version = openDataVersion(path)
  const isSameFile = watchFile(path)
  const serialize = writerQueue(path, clock)
  return {
    ...readingFrom(reader, path),
    write: (work) =>
      serialize(() => {
        if (!isSameFile())
          throw new DatabaseUnavailable(`${path}: was deleted or replaced; restart the service`)
        return writer.transaction().execute(async (tx) => {
          requireKnown(await newestIn(tx))
          return work(tx, NO_CLOCK)
        })
      }),
    overwriteDeleted: () => serialize(() => truncateLog(writer, clock)),
    version: () => version.current(),
    state: async () => (isSameFile() ? stateOf(reader) : 'unavailable'),
    close: async () => {
      version.close()
      await reader.destroy()
      await writer.destroy()
    },
  }
}

/**
 * Detects that the file was deleted or replaced: SQLite would keep writing to the unlinked one (API.md 10.1).
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
  const queue = new Queue()
  return (attempt) => {
    const deadline = clock.monotonic() + LOCK_TIMEOUT_MS
    return queue.run(() => retryWhileLocked(path, clock, attempt, deadline))
  }
}

const retryWhileLocked = <T>(
  path: string,
  clock: Clock,
  attempt: () => Promise<T>,
  deadline = clock.monotonic() + LOCK_TIMEOUT_MS,
): Promise<T> =>
  retried(attempt, isBusy, { clock, deadline, pauseMs: LOCK_RETRY_MS }).catch((error) =>
    asUnavailable(path, error),
  )

/** Moves the write-ahead log into the file, where deleted content is overwritten, and truncates it. */
async function truncateLog(writer: Kysely<Schema>, clock: Clock): Promise<boolean> {
  const deadline = clock.monotonic() + OVERWRITE_TIMEOUT_MS
  for (;;) {
    const { rows } = await sql<{ busy: bigint }>`pragma wal_checkpoint(truncate)`.execute(writer)
    if (rows[0]?.busy === 0n) return true
    if (clock.monotonic() > deadline) return false
    await sleep(LOCK_RETRY_MS)
  }
}

async function forWriting(db: Kysely<Schema>, path: string): Promise<void> {
  await bringUpToDate(db, path)
  await JOURNALS_IN_MEMORY.execute(db)
}

/** Opens a connection, which is closed if the schema is not in order. @throws Error with one line */
async function prepared(
  path: string,
  open: () => Kysely<Schema>,
  checkSchema: (db: Kysely<Schema>, path: string) => Promise<void>,
): Promise<Kysely<Schema>> {
  let db: Kysely<Schema> | undefined
  try {
    db = open()
    await checkSchema(db, path)
    return db
  } catch (error) {
    await db?.destroy()
    throw openingProblem(error, path)
  }
}

const readingFrom = (
  reader: Kysely<Schema>,
  path: string,
): Required<Pick<Database, 'db' | 'read' | 'copyTo' | 'databaseTime'>> => ({
  db: reader,
  read: (work) =>
    reader
      .transaction()
      .setAccessMode('read only')
      .execute(work)
      .catch((error) => asUnavailable(path, error)),
  // SQLite runs in this process, so its clock is this machine's.
  databaseTime: async () => null,
  // Runs in one read transaction, so writers continue; the copy contains no freed pages, and so no erased texts.
  copyTo: async (file) => {
    await sql`vacuum into ${file}`.execute(reader).catch((error) => asUnavailable(file, error))
    requireWhole(file)
  },
})

/**
 * Opens a file on a read-only file system, or one that this user may only read.
 * @throws Error with one line, also if the file would have to be migrated
 */
async function openUnwritableDatabase(path: string): Promise<Database> {
  const reader = await prepared(path, () => openUnwritable<Schema>(path), requireUpToDate)
  return {
    ...readingFrom(reader, path),
    write: async () => {
      throw new DatabaseUnavailable(`${path}: cannot be written`)
    },
    version: () => 0,
    state: () => stateOf(reader),
    close: () => reader.destroy(),
  }
}

/** Adds the path, which the engine's own messages lack. */
function asUnavailable(path: string, error: unknown): never {
  throw isEngineFailure(error)
    ? new DatabaseUnavailable(`${path}: ${error.message}`, { cause: error })
    : error
}

/** Converts an error to one clear line that names the file. A lock error is returned as is: the caller retries it. */
function openingProblem(error: unknown, path: string): unknown {
  if (isBusy(error)) return error
  if (isNotADatabase(error)) return new Error(`${path}: not a SQLite database`)
  if (isSystemError(error))
    return new Error(`${path}: cannot be opened: ${reasonOf(error)}`, { cause: error })
  if (isReadOnly(error))
    return new Error(`${path}: no permission to write the file or its folder`, { cause: error })
  return isEngineFailure(error) || error instanceof NewerSchema
    ? new Error(`${path}: ${error.message}`, { cause: error })
    : error
}
