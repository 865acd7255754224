// Redates what a wrong clock has dated into the future (API.md 10.15).
import { sql, type Transaction } from 'kysely'
import { dayOf, daySpan } from '../../archive/format/calendar.ts'
import { DAY_MS } from '../../protocol/index.ts'
import type { Queryable } from '../database/database.ts'
import { lastPublication, setLastPublication } from '../database/records/sequences.ts'
import type { Schema } from '../database/schema/schema.ts'
import { TOLERANCE_MS } from '../database/settings/clock-settings.ts'

/** The kinds of records, each with the column that dates it. */
const DATES = {
  directories: 'created_at',
  messages: 'publish_at',
  investigations: 'created_at',
  reviews: 'created_at',
} as const

export type Kind = keyof typeof DATES
export const KINDS = Object.keys(DATES) as Kind[]

/** A record and its date [ms since 1970]. */
export interface Dated {
  id: bigint
  at: number
}

/** What a repair changes. Times in ms since 1970. */
export interface RepairPlan {
  /** The time that is taken for the present. */
  now: number
  /**
   * The new date of the records: the present, but not before a message whose receipt promises a later time, and after all
   * days with a snapshot if one of them is not over.
   */
  to: number
  /** The records that are redated, by id. */
  records: Record<Kind, Dated[]>
  /** The latest time of publication, before and after. */
  latest: { from: number; to: number }
  /** The numbers of heartbeat intervals and of clock steps that reach into the future. */
  heartbeats: number
  steps: number
}

/** Whether a plan changes anything. */
export const changesAnything = ({ records, latest, heartbeats, steps }: RepairPlan): boolean =>
  KINDS.some((kind) => records[kind].length > 0) ||
  latest.from !== latest.to ||
  heartbeats + steps > 0

/**
 * Finds what lies more than 60 s ahead and can be redated. A message stays if its time comes within a day, and so does
 * all that was published before it: its receipt promises its time (FORMAT.md 25).
 * @param now [ms since 1970]
 * @param fixed the days that have a snapshot: their records stay, and no record is dated into them
 */
export async function planRepair(
  db: Queryable,
  now: number,
  fixed: ReadonlySet<string>,
): Promise<RepairPlan> {
  const limit = now + TOLERANCE_MS
  const newest = [...fixed].sort().at(-1)
  const floor = newest === undefined ? 0 : daySpan(newest).to
  const before = await latestUpTo(db, limit)
  const promised = await latestPromised(db, now + DAY_MS)
  const to = Math.max(before, promised, fixed.has(dayOf(now)) ? floor : now)
  const records = {} as Record<Kind, Dated[]>
  let remaining = Math.max(floor, before)
  for (const kind of KINDS) {
    const ahead = await recordsAfter(db, kind, limit)
    const { stay = [], move = [] } = Object.groupBy(ahead, ({ at }) =>
      fixed.has(dayOf(at)) || at <= to ? 'stay' : 'move',
    )
    records[kind] = move
    for (const { at } of stay) remaining = Math.max(remaining, at)
    if (move.length > 0) remaining = Math.max(remaining, to)
  }
  const from = await lastPublication(db)
  const isReachable = from <= limit
  return {
    now,
    to,
    records,
    latest: { from, to: isReachable ? from : Math.min(from, remaining) },
    heartbeats: await countRows(db, 'liveness', sql`to_at > ${limit}`),
    steps: await countRows(db, 'clock_steps', sql`expected_at > ${limit} or actual_at > ${limit}`),
  }
}

/** Carries out a plan, made in the same transaction. */
export async function applyRepair(tx: Transaction<Schema>, plan: RepairPlan): Promise<void> {
  const { now, to, records, latest } = plan
  for (const kind of KINDS) for (const ids of idsOf(records[kind])) await redate(tx, kind, ids, to)
  if (latest.to !== latest.from) await setLastPublication(tx, latest.to)
  const limit = now + TOLERANCE_MS
  await sql`delete from liveness where from_at > ${limit}`.execute(tx)
  await sql`update liveness set to_at = case when from_at > ${now} then from_at else ${now} end
    where to_at > ${limit}`.execute(tx)
  await sql`delete from clock_steps where expected_at > ${limit} and actual_at > ${limit}`.execute(
    tx,
  )
  await sql`update clock_steps set expected_at = ${now} where expected_at > ${limit}`.execute(tx)
  await sql`update clock_steps set actual_at = ${now} where actual_at > ${limit}`.execute(tx)
  // Otherwise these keys would not expire for years (API.md 5.3).
  await sql`update idempotency_keys set created_at = ${now} where created_at > ${limit}`.execute(tx)
}

async function redate(
  tx: Transaction<Schema>,
  kind: Kind,
  ids: readonly bigint[],
  to: number,
): Promise<void> {
  const column = sql.ref(DATES[kind])
  const received =
    kind === 'messages'
      ? sql`, received_at = case when received_at > ${to} then ${to} else received_at end`
      : sql``
  await sql`update ${sql.table(kind)} set ${column} = ${to}${received}
    where id in (${sql.join(ids)})`.execute(tx)
}

/** Records updated by one statement. */
const SLICE_ROWS = 500

function* idsOf(records: readonly Dated[]): Generator<bigint[]> {
  for (let from = 0; from < records.length; from += SLICE_ROWS)
    yield records.slice(from, from + SLICE_ROWS).map(({ id }) => id)
}

async function recordsAfter(db: Queryable, kind: Kind, limit: number): Promise<Dated[]> {
  const column = sql.ref(DATES[kind])
  const { rows } = await sql<{ id: bigint; at: bigint }>`select id, ${column} as at
    from ${sql.table(kind)} where ${column} > ${limit} order by id`.execute(db)
  return rows.map(({ id, at }) => ({ id, at: Number(at) }))
}

/** Returns the latest date of a message that is not later than the limit; 0 without one. */
async function latestPromised(db: Queryable, limit: number): Promise<number> {
  const { rows } = await sql<{ at: bigint | null }>`select max(publish_at) as at from messages
    where publish_at <= ${limit}`.execute(db)
  return Number(rows[0]?.at ?? 0n)
}

/** Returns the latest date of any record that is not later than the limit; 0 without one. */
async function latestUpTo(db: Queryable, limit: number): Promise<number> {
  let latest = 0
  for (const kind of KINDS) {
    const column = sql.ref(DATES[kind])
    const { rows } = await sql<{ at: bigint | null }>`select max(${column}) as at
      from ${sql.table(kind)} where ${column} <= ${limit}`.execute(db)
    latest = Math.max(latest, Number(rows[0]?.at ?? 0n))
  }
  return latest
}

async function countRows(
  db: Queryable,
  table: 'liveness' | 'clock_steps',
  condition: ReturnType<typeof sql>,
): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`select count(*) as count
    from ${sql.table(table)} where ${condition}`.execute(db)
  return Number(rows[0]?.count)
}
