// The pipeline's database queries, except those for the counters.
import { sql } from 'kysely'
import type { Interval } from '../../archive/format/calendar.ts'
import {
  type Database,
  NOT_VISIBLE,
  type Queryable,
  VISIBLE,
} from '../../server/database/database.ts'
import { type ClockStep, featuresIn } from '../../server/database/records/heartbeats.ts'
import {
  acceptance,
  believedBy,
  type ClockReading,
  readServerClocks,
  TOLERANCE_MS,
  timeByDatabase,
} from '../../server/database/settings/clock-settings.ts'
import type { Clock } from '../../server/system/system.ts'
import type { Heartbeats } from './coverage.ts'
import type { Evidence } from './due-days.ts'

/**
 * Reads the heartbeats that overlap a day, and all clock steps. A message of the day that was received and published on
 * different days, more than 60 s apart, shows a step, too (FORMAT.md 6.1).
 */
export async function readHeartbeats(
  db: Queryable,
  day: Interval,
): Promise<{ heartbeats: Heartbeats[]; steps: ClockStep[] }> {
  const heartbeats = await db
    .selectFrom('liveness')
    .select(['from_at', 'to_at', 'read_only', 'disabled_features'])
    .where('to_at', '>', BigInt(day.from))
    .where('from_at', '<', BigInt(day.to))
    .execute()
  const steps = await db.selectFrom('clock_steps').select(['expected_at', 'actual_at']).execute()
  return {
    heartbeats: heartbeats.map((row) => ({
      from: Number(row.from_at),
      to: Number(row.to_at),
      readOnly: row.read_only === 1n,
      disabled: featuresIn(row.disabled_features),
    })),
    steps: [
      ...steps.map((row) => ({
        expectedAt: Number(row.expected_at),
        actualAt: Number(row.actual_at),
      })),
      ...(await readDisplaced(db, day)),
    ],
  }
}

/**
 * Finds messages that were received or published on a day, but not both, more than 60 s apart.
 * @returns one of them, if there are any
 */
async function readDisplaced(db: Queryable, { from, to }: Interval): Promise<ClockStep[]> {
  const rows = await db
    .selectFrom('messages')
    .select(['received_at', 'publish_at'])
    .where('publish_at', '>=', BigInt(from))
    .where('received_at', '<', BigInt(to))
    .where((eb) =>
      eb.or([eb('publish_at', '>=', BigInt(to)), eb('received_at', '<', BigInt(from))]),
    )
    // The condition of the index messages_displaced.
    .where(sql<boolean>`publish_at - received_at > ${sql.lit(TOLERANCE_MS)}`)
    .limit(1)
    .execute()
  return rows.map((row) => ({
    expectedAt: Number(row.received_at),
    actualAt: Number(row.publish_at),
  }))
}

/** Whether a day has messages, hidden or not. Either half of them has an index of its own. */
export async function hasAnyMessage(db: Queryable, { from, to }: Interval): Promise<boolean> {
  for (const visible of [VISIBLE, NOT_VISIBLE]) {
    const found = await db
      .selectFrom('messages')
      .select('id')
      .where('messages.visible', '=', visible)
      .where('messages.publish_at', '>=', BigInt(from))
      .where('messages.publish_at', '<', BigInt(to))
      .limit(1)
      .executeTakeFirst()
    if (found) return true
  }
  return false
}

/** Whether there is a heartbeat at `from` [ms] or later. */
export async function hasHeartbeatSince(db: Queryable, from: number): Promise<boolean> {
  const row = await db
    .selectFrom('liveness')
    .select('id')
    .where('to_at', '>=', BigInt(from))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Reads what shows that days are over. A heartbeat that lies ahead shows nothing. */
export async function readEvidence(
  { db, databaseTime }: Database,
  clock: Clock,
): Promise<Evidence> {
  const now: ClockReading = {
    wall: clock.now(),
    sinceBoot: clock.sinceBoot(),
    database: await databaseTime(),
  }
  const newest = await db
    .selectFrom('liveness')
    .select((eb) => eb.fn.max<bigint | null>('to_at').as('at'))
    .where('to_at', '<=', BigInt(now.wall + TOLERANCE_MS))
    .executeTakeFirstOrThrow()
  const servers = await readServerClocks(db, now)
  return {
    heartbeatAt: newest.at === null ? null : Number(newest.at),
    databaseTime: timeByDatabase(now, await acceptance.read(db)),
    serverTimes: servers.map((server) => believedBy(server, now)),
  }
}
