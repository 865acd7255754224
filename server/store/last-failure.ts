// The last failure of the pipeline, kept in the database so that whoever watches the service hears of it.
import { z } from 'zod'
import type { Queryable, Store } from './database.ts'

const SETTING = 'pipeline.last_failure'

const Failure = z.strictObject({
  /** ms since 1970 */
  at: z.number(),
  /** The day that was not made; null when the whole run failed. */
  day: z.string().nullable(),
  message: z.string(),
})

export type Failure = z.output<typeof Failure>

/** Null while nothing has failed. */
export async function readLastFailure(db: Queryable): Promise<Failure | null> {
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', SETTING)
    .executeTakeFirst()
  return row ? Failure.parse(JSON.parse(row.value)) : null
}

/** Replaces the one before. */
export async function noteFailure(store: Store, failure: Failure): Promise<void> {
  const value = JSON.stringify(failure)
  await store.write((tx) =>
    tx
      .insertInto('settings')
      .values({ name: SETTING, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute(),
  )
}
