// Compares the clocks of the machine on which a command runs, which remembers nothing of them (API.md 10.15).
import {
  type Acceptance,
  type Refusal,
  readAcceptance,
  readRefusals,
  wallOf,
} from '../store/clock-settings.ts'
import type { Queryable } from '../store/database.ts'
import { lastPublication } from '../store/sequences.ts'
import type { Clock } from '../system.ts'
import { type DatabaseClock, readingOf } from './guard.ts'
import { timesOf } from './messages.ts'
import { contradictionsOf, differ, type Fault, type Moment } from './rules.ts'

/** All that a command can know of the clocks. */
export interface Clocks {
  moment: Moment
  accepted: Acceptance | null
  /** What contradicts the wall clock of this machine. */
  faults: Fault[]
  /** The servers that refuse to write now. */
  refusals: Refusal[]
}

export async function readClocks(
  db: Queryable,
  opening: DatabaseClock,
  clock: Clock,
): Promise<Clocks> {
  const moment = { ...readingOf(clock, opening), latest: await lastPublication(db) }
  const accepted = await readAcceptance(db)
  return {
    moment,
    accepted,
    faults: contradictionsOf(moment, accepted),
    refusals: await readRefusals(db, moment),
  }
}

/**
 * Returns why a command on this machine must date nothing; null if it may. A server that refuses to write although it
 * reads the same time as this machine knows better, since it has known the clock for longer.
 */
export function whyWrong({ moment, faults, refusals }: Clocks): string | null {
  if (faults.length > 0) return timesOf(moment, faults)
  const other = refusals.find((refusal) => !differ(wallOf(refusal, moment), moment.wall))
  return other ? `server ${other.server} says: ${other.reason}` : null
}

/**
 * Returns the wall time [ms since 1970], with which a command may date a record.
 * @throws Error with one line that names the times
 */
export async function admitCommand(
  db: Queryable,
  opening: DatabaseClock,
  clock: Clock,
): Promise<number> {
  const clocks = await readClocks(db, opening, clock)
  const reason = whyWrong(clocks)
  if (reason !== null) throw new Error(`the clock of this machine is wrong: ${reason}`)
  return clocks.moment.wall
}
