// Compares the clocks of the machine on which a command runs, which remembers nothing of them (COMMANDS.md 6.10).
import type { Queryable } from '../database/database.ts'
import { lastPublication } from '../database/records/sequences.ts'
import {
  acceptance,
  believedBy,
  differ,
  readServerClocks,
  refusesHere,
} from '../database/settings/clock-settings.ts'
import type { Clock } from '../system/system.ts'
import { instant } from '../wire/instant.ts'
import { type DatabaseClock, readingOf } from './guard.ts'
import { CONTRADICTION, contradictionsOf, timesOf } from './rules.ts'

export async function readClocks(db: Queryable, opening: DatabaseClock, clock: Clock) {
  const moment = { ...readingOf(clock, opening), latest: await lastPublication(db) }
  const accepted = await acceptance.read(db)
  return {
    moment,
    accepted,
    /** What contradicts the wall clock of this machine. */
    faults: contradictionsOf(moment, accepted),
    servers: await readServerClocks(db, moment),
  }
}

export type Clocks = Awaited<ReturnType<typeof readClocks>>

/**
 * Returns why a command on this machine must date nothing; null if it may. A server that runs knows better, since it
 * has read the clocks for longer: one that refuses to write although it reads the same time, or, without a clock of the
 * database, one that believes another time.
 */
export function whyWrong({ moment, faults, servers }: Clocks): string | null {
  if (faults.length > 0) return timesOf(moment, faults)
  const refusing = servers.find((server) => refusesHere(server, moment))
  if (refusing) return `server ${refusing.server} says: ${refusing.reason}`
  if (moment.database !== null) return null
  const other = servers.find((server) => differ(believedBy(server, moment), moment.wall))
  if (!other) return null
  const believed = instant(Math.round(believedBy(other, moment)))
  return `${timesOf(moment, [])}; by the clock of server ${other.server} it is ${believed}`
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
  if (reason !== null) throw new Error(`${CONTRADICTION}: ${reason}`)
  return clocks.moment.wall
}
