// The store's public interface: opens a database on either engine and classifies its errors.
import type { Clock } from '../system.ts'
import { type Store, type StoreLog, StoreUnavailable } from './contract.ts'
import { readImportState } from './import-state.ts'
import { nameOfDatabase } from './location.ts'
import { openPostgresStore } from './postgres-store.ts'
import { isPostgresUrl } from './postgres-url.ts'
import { reportingNewerSchema } from './schema-version.ts'
import { isBusy, isEngineFailure } from './sqlite-errors.ts'
import { openSqliteStore } from './sqlite-store.ts'

export {
  NewerSchema,
  type Opening,
  type Queryable,
  type Store,
  type StoreState,
  StoreUnavailable,
  VISIBLE,
  VISIBLE_MESSAGE,
} from './contract.ts'

/** Whether an error is temporary: another process holds the lock, or the database is unavailable. */
export const isLocked = (error: unknown): boolean =>
  isBusy(error) || error instanceof StoreUnavailable

/** Whether the database failed, as opposed to the query being invalid. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof StoreUnavailable || isEngineFailure(error)

export interface OpenOptions {
  clock: Clock
  create: boolean
  dataDir?: string
  log?: StoreLog
  onlyReads?: boolean
  forImport?: boolean
}

/**
 * Opens the database and brings its schema up to date.
 * @param database the SQLite file, or the URL of a PostgreSQL database
 * @param options.clock measures timeouts
 * @param options.create create the file (and its folder), or the tables, if they are missing
 * @param options.dataDir where the timelines of PostgreSQL are remembered; by default, only while the store is open
 * @param options.log none for a command, whose errors name the problem
 * @param options.onlyReads also open a SQLite file that cannot be written, if its schema is up to date
 * @param options.forImport open it even if an import into it is unfinished
 * @throws Error with one clear line: missing, not ours, damaged, partly imported, or written by a newer version
 */
export async function openStore(database: string, options: OpenOptions): Promise<Store> {
  const store = isPostgresUrl(database)
    ? await openPostgresStore(database, options)
    : await openSqliteStore(database, options)
  if (options.forImport || !(await readImportState(store.db)))
    return reporting(store, database, options.log)
  await store.close()
  throw new Error(
    `${nameOfDatabase(database)}: an import into it is unfinished; repeat npm run operator -- import FILE`,
  )
}

const reporting = (store: Store, database: string, log: StoreLog | undefined): Store => {
  const report = (line: string) => log?.error(`${nameOfDatabase(database)}: ${line}`)
  return { ...store, write: reportingNewerSchema(store.write, report) }
}
