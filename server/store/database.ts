// The door to the store: what every feature knows of the database. The engine stays behind it.
import { type Store, StoreUnavailable } from './contract.ts'
import { readImportState } from './import-state.ts'
import { nameOfDatabase } from './location.ts'
import { openPostgresStore } from './postgres-store.ts'
import { isPostgresUrl } from './postgres-url.ts'
import { isBusy, isEngineFailure } from './sqlite.ts'
import { openSqliteStore } from './sqlite-store.ts'

export {
  type Queryable,
  type Store,
  StoreUnavailable,
  VISIBLE,
  VISIBLE_MESSAGE,
} from './contract.ts'

/** Whether another process holds the lock that a statement needed, or the database is away: it will pass. */
export const isLocked = (error: unknown): boolean =>
  isBusy(error) || error instanceof StoreUnavailable

/** Whether the store could not answer, rather than the query being wrong. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof StoreUnavailable || isEngineFailure(error)

/**
 * Opens the database and brings its schema up to date.
 * @param database the SQLite file, or the URL of a PostgreSQL database
 * @param options.create make the file (and its folder), or the tables, where they are missing
 * @param options.replica the URL of PostgreSQL replicas to read from
 * @param options.forImport open it although an import into it is unfinished
 * @throws Error with one clear line: missing, not ours, damaged, half imported, or made by a newer version
 */
export async function openStore(
  database: string,
  options: { create: boolean; replica?: string | undefined; forImport?: boolean },
): Promise<Store> {
  const store = isPostgresUrl(database)
    ? await openPostgresStore(database, options)
    : await openSqliteStore(database, options)
  if (options.forImport || !(await readImportState(store.db))) return store
  await store.close()
  throw new Error(
    `${nameOfDatabase(database)}: an import into it is unfinished; repeat npm run operator -- import FILE`,
  )
}
