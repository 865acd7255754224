// The door to the store: what every feature knows of the database. The engine stays behind it.
import { type Store, StoreUnavailable } from './contract.ts'
import { isBusy, isEngineFailure } from './sqlite.ts'
import { openSqliteStore } from './sqlite-store.ts'

export { type Queryable, type Store, StoreUnavailable, VISIBLE } from './contract.ts'
export { nextId } from './sequences.ts'

/** Whether another process holds the lock that a statement needed: it will pass. */
export const isLocked = (error: unknown): boolean => isBusy(error)

/** Whether the store could not answer, rather than the query being wrong. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof StoreUnavailable || isEngineFailure(error)

/**
 * Opens the database and brings its schema up to date.
 * @param path the SQLite file
 * @param options.create make the file (and its folder) when it is missing
 * @throws Error with one clear line: missing, not ours, damaged, or made by a newer version
 */
export const openStore = (path: string, options: { create: boolean }): Promise<Store> =>
  openSqliteStore(path, options)
