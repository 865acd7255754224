// What the service must remember to itself: made once, shared by every process on the database.
import type { Store } from './database.ts'

/**
 * The key under which addresses are hashed.
 * @param candidate 32 random bytes in hex, kept when there is no key yet
 */
export async function originKey(store: Store, candidate: string): Promise<string> {
  return store.write(async (tx) => {
    await tx
      .insertInto('settings')
      .values({ name: 'origin_key', value: candidate })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute()
    const { value } = await tx
      .selectFrom('settings')
      .select('value')
      .where('name', '=', 'origin_key')
      .executeTakeFirstOrThrow()
    return value
  })
}
