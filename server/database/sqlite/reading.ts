// The part of a SQLite database that only reads, and the whole of one whose file cannot be written.
import { type Kysely, sql } from 'kysely'
import { isSystemError, reasonOf } from '../../../archive/base/system-error.ts'
import type { Database } from '../database.ts'
import { DatabaseUnavailable } from '../errors.ts'
import type { Schema } from '../schema/schema.ts'
import { stateOf } from '../schema/version.ts'
import { openUnwritable } from './driver.ts'
import { isBusy, isEngineFailure, isNotADatabase, isReadOnly } from './errors.ts'
import { requireUpToDate } from './schema.ts'

export const readingFrom = (
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
  },
})

/**
 * Opens a file on a read-only file system, or one that this user may only read.
 * @throws Error with one line, also if the file would have to be migrated
 */
export async function openUnwritableDatabase(path: string): Promise<Database> {
  let db: Kysely<Schema> | undefined
  try {
    db = openUnwritable<Schema>(path)
    await requireUpToDate(db, path)
  } catch (error) {
    await db?.destroy()
    throw openingProblem(error, path)
  }
  const reader = db
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
export function asUnavailable(path: string, error: unknown): never {
  throw isEngineFailure(error)
    ? new DatabaseUnavailable(`${path}: ${error.message}`, { cause: error })
    : error
}

/** Converts an error to one clear line that names the file. A lock error is returned as is: the caller retries it. */
export function openingProblem(error: unknown, path: string): unknown {
  if (isBusy(error)) return error
  if (isNotADatabase(error)) return new Error(`${path}: not a SQLite database`)
  if (isSystemError(error))
    return new Error(`${path}: cannot be opened: ${reasonOf(error)}`, { cause: error })
  if (isReadOnly(error))
    return new Error(`${path}: no permission to write the file or its folder`, { cause: error })
  return isEngineFailure(error) ? new Error(`${path}: ${error.message}`, { cause: error }) : error
}
