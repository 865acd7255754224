// Keeps the verifier keys of the log of days, whose name is its origin: those of the file `key`, newest first
// (API.md 4.8). They exist before the log does, because receipts are signed from the first message on.
import type { Database, Queryable } from '../database.ts'
import { readSetting, writeSetting } from './settings.ts'

const KEYS = 'log.keys'

/** Returns one verifier key per line, as in the file `key`; null if there is none yet. */
export const readLogKeys = (db: Queryable): Promise<string | null> => readSetting(db, KEYS)

/** Compares and swaps. @returns false, without a change, unless the keys are `before` */
export async function swapLogKeys(
  database: Pick<Database, 'write'>,
  before: string | null,
  after: string,
): Promise<boolean> {
  return database.write(async (tx) => {
    if ((await readLogKeys(tx)) !== before) return false
    await writeSetting(tx, KEYS, after)
    return true
  })
}
