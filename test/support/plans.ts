// How the engine goes about the queries of a piece of work.
import { DatabaseSync } from 'node:sqlite'
import type { Kysely } from 'kysely'
import type { Schema } from '../../server/store/schema.ts'
import { openSqlite } from '../../server/store/sqlite.ts'

/**
 * Does the work on a connection of its own to a database file, and returns the steps of the plans of all its queries,
 * as SQLite explains them.
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

/** Transactions have no plan, and an insert has no other than that of what it inserts. */
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
