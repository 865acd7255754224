// Stores what concerns the clocks of all servers of a database: what the operator has accepted, and what each running
// server reads (OPERATING.md 6.1). All times in ms.
import { z } from 'zod'
import type { Queryable } from '../database.ts'
import { LONGEST_SILENCE_MS } from '../records/heartbeats.ts'
import { removeSetting, stored } from './settings.ts'

/** Clocks that differ by more contradict each other. */
export const TOLERANCE_MS = 60_000

const ClockReading = z.strictObject({
  /** Wall time, since 1970. */
  wall: z.number(),
  /** Time since the machine's boot. */
  sinceBoot: z.number(),
  /** The database's clock, since 1970; null on an engine without one. */
  database: z.number().nullable(),
})

export type ClockReading = z.output<typeof ClockReading>

const Acceptance = ClockReading.extend({
  /** The id of the operator's action. */
  id: z.string(),
  /** The latest time of publication that was issued by then. */
  latest: z.number(),
})

/** The clocks of the machine whose wall clock the operator has made the measure. */
export type Acceptance = z.output<typeof Acceptance>

/** Null if the operator has accepted nothing. */
export const acceptance = stored('clock.accepted', Acceptance, null)

const ServerClock = ClockReading.extend({
  server: z.string(),
  /** The time that the server believes: not `wall` while it holds a step of its wall clock for wrong. */
  believed: z.number(),
  /** Why the server refuses to write; null if it does not. */
  reason: z.string().nullable(),
})

/** The clocks of a server at its last heartbeat, or when it last refused to write one. */
type ServerClock = z.output<typeof ServerClock>

const SERVERS = 'clock.servers'
const servers = stored(SERVERS, z.array(ServerClock), [])

/** The clocks of one machine at two moments need no database to tell the time between them. */
export const elapsedByBoot = (from: ClockReading, to: ClockReading): number =>
  to.sinceBoot - from.sinceBoot

/** The time between two readings, which may be of two machines if the database has a clock. */
const elapsed = (from: ClockReading, to: ClockReading): number =>
  from.database !== null && to.database !== null
    ? to.database - from.database
    : elapsedByBoot(from, to)

/** What the wall clock of an earlier reading shows now. */
export const wallOf = (earlier: ClockReading, now: ClockReading): number =>
  earlier.wall + elapsed(earlier, now)

/** The time by the database's clock, corrected by the difference that the operator has accepted; null without one. */
export function timeByDatabase(
  { database }: ClockReading,
  accepted: Acceptance | null,
): number | null {
  if (database === null || accepted === null || accepted.database === null) return database
  return database - (accepted.database - accepted.wall)
}

export const differ = (a: number, b: number): boolean => Math.abs(a - b) > TOLERANCE_MS

/** The time that a running server believes it is now. */
export const believedBy = (server: ServerClock, now: ClockReading): number =>
  server.believed + elapsed(server, now)

/** Whether a server holds a wall clock for wrong that shows the same as that of this machine. */
export const refusesHere = (server: ServerClock, now: ClockReading): boolean =>
  differ(server.believed, server.wall) && !differ(wallOf(server, now), now.wall)

export async function readServerClocks(db: Queryable, now: ClockReading): Promise<ServerClock[]> {
  return (await servers.read(db)).filter((server) => {
    const age = elapsed(server, now)
    return age >= 0 && age <= LONGEST_SILENCE_MS
  })
}

/** Replaces what a server has noted before, and forgets the servers that no longer run. @param isLast it stops, too */
export async function noteServerClock(
  db: Queryable,
  noted: ServerClock,
  isLast = false,
): Promise<void> {
  const others = (await readServerClocks(db, noted)).filter(({ server }) => server !== noted.server)
  const running = isLast ? others : [...others, noted]
  if (running.length > 0) await servers.write(db, running)
  else await removeSetting(db, SERVERS)
}
