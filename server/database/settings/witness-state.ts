// Stores what the witnesses of the log have answered, for later runs and for the operator's status.
import { z } from 'zod'
import type { Database, Queryable } from '../database.ts'
import { readSetting, writeSetting } from './settings.ts'

const SETTING = 'log.witnesses'

const State = z.strictObject({
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

export type WitnessMemory = z.output<typeof State>
export type Claim = WitnessMemory['claims'][string]

export async function readWitnessMemory(db: Queryable): Promise<WitnessMemory> {
  const text = await readSetting(db, SETTING)
  return text === null ? { sizes: {}, claims: {} } : State.parse(JSON.parse(text))
}

export async function writeWitnessMemory(database: Database, memory: WitnessMemory): Promise<void> {
  await database.write((tx) => writeSetting(tx, SETTING, JSON.stringify(memory)))
}
