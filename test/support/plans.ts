// Returns what SQLite does with the queries of a function that uses the database: their plans, and how often it makes them.
import { constants, DatabaseSync } from 'node:sqlite'
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
  const queries = new Set<string>()
  await withConnection(file, work, (_, text) => queries.add(text))
  return stepsOf(file, [...queries].filter(isPlanned))
}

/**
 * Calls `work` with a new connection until its statements are prepared, and then once more.
 * @returns how many actions SQLite authorized in the last call, as it does while it prepares a statement
 */
export async function preparationsOf(
  file: string,
  work: (db: Kysely<Schema>) => Promise<unknown>,
): Promise<number> {
  let actions = 0
  const count = () => {
    actions += 1
    return constants.SQLITE_OK
  }
  const repeated = async (db: Kysely<Schema>) => {
    await work(db)
    // The first call after setAuthorizer prepares all statements again.
    await work(db)
    actions = 0
    await work(db)
  }
  await withConnection(file, repeated, (db) => db.setAuthorizer(count))
  return actions
}

/** @param onPrepare called with each statement that the connection prepares */
async function withConnection(
  file: string,
  work: (db: Kysely<Schema>) => Promise<unknown>,
  onPrepare: (db: DatabaseSync, text: string) => void,
): Promise<void> {
  const { prepare } = DatabaseSync.prototype
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, text: string) {
    onPrepare(this, text)
    return prepare.call(this, text)
  }
  const db = openSqlite<Schema>(file, false)
  try {
    await work(db)
  } finally {
    DatabaseSync.prototype.prepare = prepare
    await db.destroy()
  }
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
