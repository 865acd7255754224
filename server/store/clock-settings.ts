// Stores what concerns the clocks of all servers of a database: what the operator has accepted, and who refuses to write
// (API.md 10.15). All times in ms.
import { z } from 'zod'
import type { Queryable } from './contract.ts'
import { LONGEST_SILENCE_MS } from './heartbeats.ts'
import { readSetting, removeSetting, writeSetting } from './settings.ts'

const ACCEPTED = 'clock.accepted'
const REFUSALS = 'clock.refusals'

const Reading = z.strictObject({
  /** Wall time, since 1970. */
  wall: z.number(),
  /** Time since the machine's boot. */
  sinceBoot: z.number(),
  /** The database's clock, since 1970; null on an engine without one. */
  database: z.number().nullable(),
})

/** The clocks of one machine at one moment. */
export type Reading = z.output<typeof Reading>

const Acceptance = Reading.extend({
  /** The id of the operator's action. */
  id: z.string(),
  /** The latest time of publication that was issued by then. */
  latest: z.number(),
})

/** The clocks of the machine whose wall clock the operator has made the measure. */
export type Acceptance = z.output<typeof Acceptance>

const Refusal = Reading.extend({ server: z.string(), reason: z.string() })

/** A server that refuses to write, and its clocks when it last did. */
export type Refusal = z.output<typeof Refusal>

/** The clocks of one machine at two moments need no database to tell the time between them. */
export const elapsedByBoot = (from: Reading, to: Reading): number => to.sinceBoot - from.sinceBoot

/** The time between two readings, which may be of two machines if the database has a clock. */
const elapsed = (from: Reading, to: Reading): number =>
  from.database !== null && to.database !== null
    ? to.database - from.database
    : elapsedByBoot(from, to)

/** What the wall clock of an earlier reading shows now. */
export const wallOf = (earlier: Reading, now: Reading): number =>
  earlier.wall + elapsed(earlier, now)

/** The time by the database's clock, corrected by the difference that the operator has accepted; null without one. */
export function timeByDatabase({ database }: Reading, accepted: Acceptance | null): number | null {
  if (database === null || accepted === null || accepted.database === null) return database
  return database - (accepted.database - accepted.wall)
}

/** Returns null if the operator has accepted nothing. */
export async function readAcceptance(db: Queryable): Promise<Acceptance | null> {
  const text = await readSetting(db, ACCEPTED)
  return text === null ? null : Acceptance.parse(JSON.parse(text))
}

/** Replaces the previous acceptance. */
export async function writeAcceptance(db: Queryable, acceptance: Acceptance): Promise<void> {
  await writeSetting(db, ACCEPTED, JSON.stringify(acceptance))
}

/** Lists the servers that refuse to write now. */
export async function readRefusals(db: Queryable, now: Reading): Promise<Refusal[]> {
  const text = await readSetting(db, REFUSALS)
  const refusals = text === null ? [] : z.array(Refusal).parse(JSON.parse(text))
  return refusals.filter((refusal) => {
    const age = elapsed(refusal, now)
    return age >= 0 && age <= LONGEST_SILENCE_MS
  })
}

/** Notes that a server refuses to write, and forgets servers that no longer say so. */
export async function noteRefusal(db: Queryable, refusal: Refusal): Promise<void> {
  const others = (await readRefusals(db, refusal)).filter(({ server }) => server !== refusal.server)
  await writeSetting(db, REFUSALS, JSON.stringify([...others, refusal]))
}

/** Notes that a server no longer refuses. */
export async function endRefusal(db: Queryable, server: string, now: Reading): Promise<void> {
  const others = (await readRefusals(db, now)).filter((refusal) => refusal.server !== server)
  if (others.length > 0) await writeSetting(db, REFUSALS, JSON.stringify(others))
  else await removeSetting(db, REFUSALS)
}
