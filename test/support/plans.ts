// Returns the query plans of SQLite for a function that uses the database.
import { DatabaseSync } from 'node:sqlite'
import type { Kysely } from 'kysely'
import type { Schema } from '../../server/database/schema/schema.ts'
import { openSqlite } from '../../server/database/sqlite/driver.ts'

/**
 * Calls `work` with a new connection to a database file.
 * @returns the steps of the plans of all its queries, as in EXPLAIN QUERY PLAN
 */
export async function plansOf(
  file: string,
  work: (db: Kysely<Schema>) => Promise<unknown>,
): Promise<string[]> {
  const { prepare } = DatabaseSync.prototype
  const queries = new Set<string>()
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, text: string) {
    queries.add(text)
    return prepare.call(this, text)
  }
  const db = openSqlite<Schema>(file, false)
  try {
    await work(db)
  } finally {
    DatabaseSync.prototype.prepare = prepare
    await db.destroy()
  }
  return stepsOf(file, [...queries].filter(isPlanned))
}

/** Transactions and plain inserts have no plan. */
const isPlanned = (text: string) => /^(select|update|delete|with)\b/i.test(text.trim())

function stepsOf(file: string, queries: string[]): string[] {
  const db = new DatabaseSync(file)
  try {
    return queries.flatMap((text) =>
      (db.prepare(`explain query plan ${text}`).all() as { detail: string }[]).map(
        ({ detail }) => detail,
      ),
    )
  } finally {
    db.close()
  }
}
