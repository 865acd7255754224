// The mark of an unfinished import: a setting that is there from its first row to its last.
import type { Queryable } from './contract.ts'
import { readSetting, removeSetting, writeSetting } from './settings.ts'

/** How far an import has come: kept in the database, in the transaction that has written so much. */
export interface ImportState {
  /** Of the file. */
  sha256: string
  /** Rows of it that are here. */
  rows: number
}

/** Its name; no export carries it, since nothing else opens such a database. */
const IMPORT = 'import'

/** Null where no import is unfinished. */
export async function readImportState(db: Queryable): Promise<ImportState | null> {
  const text = await readSetting(db, IMPORT)
  return text === null ? null : (JSON.parse(text) as ImportState)
}

export async function writeImportState(db: Queryable, state: ImportState): Promise<void> {
  await writeSetting(db, IMPORT, JSON.stringify(state))
}

export async function clearImportState(db: Queryable): Promise<void> {
  await removeSetting(db, IMPORT)
}
