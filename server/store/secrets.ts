// The service's own secrets: made once, shared by every process on the database.
import type { Store } from './database.ts'
import { initSetting, readSetting } from './settings.ts'

const ORIGIN_KEY = 'origin_key'

/**
 * The key under which addresses are hashed.
 * @param candidate 32 random bytes in hex, kept when there is no key yet
 */
export async function originKey(store: Store, candidate: string): Promise<string> {
  return store.write(async (tx) => {
    await initSetting(tx, ORIGIN_KEY, candidate)
    return (await readSetting(tx, ORIGIN_KEY)) as string
  })
}
