// Reads and writes single values by name, and those of them that have a shape of their own: the service's secret, the keys
// of the log, what witnesses have answered, the last failure of a run and the last backup. clock-settings.ts has those of
// the clocks.
import { z } from 'zod'
import type { Database, Queryable } from '../database.ts'

export async function readSetting(db: Queryable, name: string): Promise<string | null> {
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst()
  return row?.value ?? null
}

export async function writeSetting(db: Queryable, name: string, value: string): Promise<void> {
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

export async function initSetting(db: Queryable, name: string, value: string): Promise<void> {
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}

export async function removeSetting(db: Queryable, name: string): Promise<void> {
  await db.deleteFrom('settings').where('name', '=', name).execute()
}

/** The secret key of the service: generated once, shared by every process that uses the database. */
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

/**
 * The verifier keys of the log of days, whose name is its origin: those of the file `key`, newest first (API.md 4.8).
 * They exist before the log does, because receipts are signed from the first message on.
 */
const LOG_KEYS = 'log.keys'

/** Returns one verifier key per line, as in the file `key`; null if there is none yet. */
export const readLogKeys = (db: Queryable): Promise<string | null> => readSetting(db, LOG_KEYS)

/** Compares and swaps. @returns false, without a change, unless the keys are `before` */
export async function swapLogKeys(
  database: Pick<Database, 'write'>,
  before: string | null,
  after: string,
): Promise<boolean> {
  return database.write(async (tx) => {
    if ((await readLogKeys(tx)) !== before) return false
    await writeSetting(tx, LOG_KEYS, after)
    return true
  })
}

/** A setting with a shape of its own, as JSON. @param otherwise what is read if it does not exist */
export const stored = <Shape extends z.ZodType, Otherwise extends z.output<Shape> | null>(
  name: string,
  shape: Shape,
  otherwise: Otherwise,
) => ({
  read: async (db: Queryable): Promise<z.output<Shape> | Otherwise> => {
    const text = await readSetting(db, name)
    return text === null ? otherwise : shape.parse(JSON.parse(text))
  },
  write: (tx: Queryable, value: z.output<Shape>): Promise<void> =>
    writeSetting(tx, name, JSON.stringify(value)),
})

const WitnessMemory = z.strictObject({
  /** The size that each witness has signed last, by the name and id of its key. */
  sizes: z.record(z.string(), z.number()),
  /** The witnesses that claim to know another log, by the name and id of their keys. */
  claims: z.record(
    z.string(),
    z.strictObject({
      /** The name of the witness in the policy. */
      name: z.string(),
      /** When it first claimed this [ms since 1970]. */
      at: z.number(),
      message: z.string(),
      /** A checkpoint that a key of this log has signed, and that this log does not continue; null if none was shown. */
      fork: z.string().nullable(),
    }),
  ),
})

export type WitnessMemory = z.output<typeof WitnessMemory>
export type Claim = WitnessMemory['claims'][string]

const NOTHING: WitnessMemory = { sizes: {}, claims: {} }

/** What the witnesses of the log have answered, for later runs and for the operator's status. */
export const witnessMemory = stored('log.witnesses', WitnessMemory, NOTHING)

const RunFailure = z.strictObject({
  /** ms since 1970 */
  at: z.number(),
  /** The day that failed; null if the whole run failed. */
  day: z.string().nullable(),
  message: z.string(),
})

export type RunFailure = z.output<typeof RunFailure>

/** The pipeline's last failure, for the operator's status and the metrics. */
export const lastFailure = stored('pipeline.last_failure', RunFailure, null)

/** When a dated backup was last complete, for the metrics [ms since 1970]. */
export const lastBackup = stored('backup.last', z.number(), null)
