// The pipeline's database queries, except those for the counters.
import type { Records } from '../archive/format/snapshot.ts'
import { DayLeaves, recordsOf } from '../archive/log/records.ts'
import { type Queryable, VISIBLE } from '../server/store/database.ts'
import { type ClockStep, featuresIn } from '../server/store/heartbeats.ts'
import { readRecorded } from '../server/store/recorded.ts'
import type { Heartbeats, Interval } from './coverage.ts'

/** Reads the heartbeats that overlap a day, and all clock steps. */
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
    steps: steps.map((row) => ({
      expectedAt: Number(row.expected_at),
      actualAt: Number(row.actual_at),
    })),
  }
}

/** Computes the `records` property of a day's snapshot from the messages in the database (FORMAT.md 20). */
export async function readRecords(db: Queryable, day: Interval): Promise<Records> {
  const leaves = new DayLeaves()
  for await (const page of readRecorded(db, day)) for (const message of page) leaves.add(message)
  return recordsOf(leaves.sorted())
}

/** Reports whether there is a heartbeat at `from` [ms] or later. */
export async function hasHeartbeatSince(db: Queryable, from: number): Promise<boolean> {
  const row = await db
    .selectFrom('liveness')
    .select('id')
    .where('to_at', '>=', BigInt(from))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Reads the time of the board's first record [ms since 1970]; null when there is none. */
export async function readFirstRecordAt(db: Queryable): Promise<number | null> {
  // These suffice, since every other record belongs to a message. Each is the first entry of an index.
  const directories = await db
    .selectFrom('directories')
    .select((eb) => eb.fn.min<bigint | null>('created_at').as('first'))
    .executeTakeFirstOrThrow()
  const messages = await db
    .selectFrom('messages')
    .select((eb) => eb.fn.min<bigint | null>('publish_at').as('first'))
    .where('visible', '=', VISIBLE)
    .executeTakeFirstOrThrow()
  const firsts = [directories.first, messages.first].filter((at) => at !== null).map(Number)
  return firsts.length === 0 ? null : Math.min(...firsts)
}
