// What the pipeline reads from the database, the counters aside.
import type { Records } from '../archive/format/snapshot.ts'
import { DayLeaves, recordsOf } from '../archive/log/records.ts'
import { type Queryable, VISIBLE } from '../server/store/database.ts'
import { type ClockStep, featuresIn } from '../server/store/heartbeats.ts'
import { readRecorded } from '../server/store/recorded.ts'
import type { Heartbeats, Interval } from './coverage.ts'

/** The heartbeats and clock steps that may bear on a day. */
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

/** What a snapshot states of the messages of a day, as they are in the database. */
export async function readRecords(db: Queryable, day: Interval): Promise<Records> {
  const leaves = new DayLeaves()
  for await (const page of readRecorded(db, day)) for (const message of page) leaves.add(message)
  return recordsOf(leaves.sorted())
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

/** When the board got its first record [ms since 1970]; null when it has none. */
export async function readFirstRecordAt(db: Queryable): Promise<number | null> {
  // Every other record belongs to a message, and both of these are the start of an index.
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
