// Marks an unfinished import with a setting that exists from its first transaction to its last.
import type { Queryable } from '../database.ts'
import { readSetting, removeSetting, writeSetting } from './settings.ts'

/** The progress of an import, saved in the same transaction as the rows that it counts. */
export interface ImportState {
  /** The hash of the imported file. */
  sha256: string
  /** Rows of the file written so far. */
  rows: number
}

/** The setting's name. It is never exported, since only an import opens such a database. */
const IMPORT = 'import'

/** Returns null unless an import is unfinished. */
export async function readImportState(db: Queryable): Promise<ImportState | null> {
  const text = await readSetting(db, IMPORT)
  return text === null ? null : (JSON.parse(text) as ImportState)
}

/** Must run in the transaction that writes the counted rows. */
export async function writeImportState(db: Queryable, state: ImportState): Promise<void> {
  await writeSetting(db, IMPORT, JSON.stringify(state))
}

/** Marks the import as finished. */
export async function clearImportState(db: Queryable): Promise<void> {
  await removeSetting(db, IMPORT)
}
