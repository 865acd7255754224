// The service's secret key: generated once, shared by every process that uses the database.
import type { Database } from '../database.ts'
import { initSetting, readSetting } from './settings.ts'

const ORIGIN_KEY = 'origin_key'

/**
 * Returns the key of the address hashes.
 * @param candidate 32 random bytes in hex, stored if there is no key yet
 */
export async function originKey(database: Database, candidate: string): Promise<string> {
  return database.write(async (tx) => {
    await initSetting(tx, ORIGIN_KEY, candidate)
    return (await readSetting(tx, ORIGIN_KEY)) as string
  })
}
