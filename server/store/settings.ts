// Single values in the database, by name: the operator's switches, the service's own secrets, what a run leaves to the next.
import type { Queryable } from './contract.ts'

/** Null while there is none of that name. */
export async function readSetting(db: Queryable, name: string): Promise<string | null> {
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst()
  return row?.value ?? null
}

/** Replaces the value that was there. */
export async function writeSetting(db: Queryable, name: string, value: string): Promise<void> {
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

/** Writes a value unless there is one. */
export async function initSetting(db: Queryable, name: string, value: string): Promise<void> {
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}

/** Nothing there is fine. */
export async function removeSetting(db: Queryable, name: string): Promise<void> {
  await db.deleteFrom('settings').where('name', '=', name).execute()
}
