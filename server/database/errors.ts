// The errors of a database on either engine, and their classes.
import { isBusy, isEngineFailure } from './sqlite/errors.ts'

/** The database cannot be used now: locked too long, disk full, file deleted, ids used up. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable'
}

/** A newer version has migrated the database while this one runs. */
export class NewerSchema extends DatabaseUnavailable {
  override name = 'NewerSchema'

  /** @param migration the name of one that this version does not know */
  constructor(migration: string) {
    super(`written by a newer Daysignal (it has ${migration}); update first`)
  }
}

/** Whether an error is temporary: another process holds the lock, or the database is unavailable. */
export const isLocked = (error: unknown): boolean =>
  isBusy(error) || error instanceof DatabaseUnavailable

/** Whether the database failed, as opposed to the query being invalid. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable || isEngineFailure(error)

/** A `catch` handler: returns null if the database is unavailable. */
export function nullIfUnavailable(error: unknown): null {
  if (isUnavailable(error)) return null
  throw error
}
