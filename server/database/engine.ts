// Reports which engine a connection uses, for the few statements that differ.
import { SqliteAdapter } from 'kysely'

/** A connection or a transaction of any schema. */
interface Connected {
  getExecutor(): { readonly adapter: unknown }
}

export const isSqlite = (db: Connected): boolean =>
  db.getExecutor().adapter instanceof SqliteAdapter
