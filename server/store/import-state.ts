// The mark of an unfinished import: a setting that is there from its first row to its last.
import type { Queryable } from './contract.ts'

/** How far an import has come: kept in the database, in the transaction that has written so much. */
export interface ImportState {
  /** Of the file. */
  sha256: string
  /** Rows of it that are here. */
  rows: number
}

/** Its name; no export carries it, since nothing else opens such a database. */
const IMPORT = 'import'

/** Undefined where no import is unfinished. */
export async function readImport(db: Queryable): Promise<ImportState | undefined> {
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', IMPORT)
    .executeTakeFirst()
  return row && (JSON.parse(row.value) as ImportState)
}

export async function noteImport(db: Queryable, state: ImportState): Promise<void> {
  const value = JSON.stringify(state)
  await db
    .insertInto('settings')
    .values({ name: IMPORT, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

export async function endImport(db: Queryable): Promise<void> {
  await db.deleteFrom('settings').where('name', '=', IMPORT).execute()
}
