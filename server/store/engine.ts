// Which engine a connection speaks to, for the few statements that differ.
import { type Kysely, SqliteAdapter } from 'kysely'

export const isSqlite = (db: Kysely<never> | Kysely<unknown>): boolean =>
  (db as Kysely<unknown>).getExecutor().adapter instanceof SqliteAdapter
