// Reads and writes single values by name, such as the operator's switches and the service's secrets.
import type { Queryable } from '../database.ts'

/** Returns null if there is no such setting. */
export async function readSetting(db: Queryable, name: string): Promise<string | null> {
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst()
  return row?.value ?? null
}

/** Writes a setting, replacing any earlier value. */
export async function writeSetting(db: Queryable, name: string, value: string): Promise<void> {
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

/** Writes a setting unless it exists. */
export async function initSetting(db: Queryable, name: string, value: string): Promise<void> {
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}

/** Removes a setting if it exists. */
export async function removeSetting(db: Queryable, name: string): Promise<void> {
  await db.deleteFrom('settings').where('name', '=', name).execute()
}
