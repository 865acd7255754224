// Stores the pipeline's last failure in the database, for the operator's status and the metrics.
import { z } from 'zod'
import type { Database, Queryable } from '../database.ts'
import { readSetting, writeSetting } from './settings.ts'

const SETTING = 'pipeline.last_failure'

const Failure = z.strictObject({
  /** ms since 1970 */
  at: z.number(),
  /** The day that failed; null if the whole run failed. */
  day: z.string().nullable(),
  message: z.string(),
})

export type Failure = z.output<typeof Failure>

/** Returns null if nothing has failed yet. */
export async function readLastFailure(db: Queryable): Promise<Failure | null> {
  const text = await readSetting(db, SETTING)
  return text === null ? null : Failure.parse(JSON.parse(text))
}

/** Replaces the previous failure. */
export async function recordFailure(database: Database, failure: Failure): Promise<void> {
  await database.write((tx) => writeSetting(tx, SETTING, JSON.stringify(failure)))
}
