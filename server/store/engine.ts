// Which engine a connection speaks to, for the few statements that differ.
import { SqliteAdapter } from 'kysely'

/** A connection or a transaction, whatever its tables. */
interface Connected {
  getExecutor(): { readonly adapter: unknown }
}

export const isSqlite = (db: Connected): boolean =>
  db.getExecutor().adapter instanceof SqliteAdapter
