// Counts a day's records for its twelve counters, with index-only queries (FORMAT.md 4), and keeps the counts of the current day.
import { sql } from 'kysely'
import { dayOf, daySpan, type Interval } from '../../archive/format/calendar.ts'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import { type CounterName, perCounter } from '../../protocol/index.ts'
import { type Queryable, VISIBLE, VISIBLE_MESSAGE } from '../database/database.ts'
import { isLocked } from '../database/errors.ts'
import type { EntryKind } from '../database/schema/schema.ts'
import type { Clock } from '../system/system.ts'

/** The counters of a day; null for one whose query failed. */
export type Counts = Record<CounterName, bigint | null>

/** A query that failed, and the counters that are therefore unknown. */
interface CounterFailure {
  counters: CounterName[]
  message: string
}

type Counted = Partial<Record<CounterName, bigint>>

/** A sum cast to bigint, since PostgreSQL's sum of a bigint column is numeric. */
const total = (column: string) => sql<bigint>`cast(sum(${sql.ref(column)}) as bigint)`

interface CounterQuery {
  counters: CounterName[]
  count(db: Queryable, day: Interval): Promise<Counted>
}

const published: CounterQuery = {
  counters: ['messages', 'message_bytes', 'active_directories'],
  count: (db, day) =>
    db
      .selectFrom('messages')
      .select((eb) => [
        eb.fn.countAll<bigint>().as('messages'),
        eb.fn.coalesce(total('body_bytes'), sql.lit(0)).as('message_bytes'),
        eb.fn.count<bigint>('directory_id').distinct().as('active_directories'),
      ])
      .where(VISIBLE_MESSAGE)
      .where('publish_at', '>=', BigInt(day.from))
      .where('publish_at', '<', BigInt(day.to))
      .executeTakeFirstOrThrow() as Promise<Counted>,
}

const created = (table: 'directories' | 'investigations'): CounterQuery => ({
  counters: [table],
  count: async (db, day) => {
    const { total } = await db
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<bigint>().as('total'))
      .where('visible', '=', VISIBLE)
      .where('created_at', '>=', BigInt(day.from))
      .where('created_at', '<', BigInt(day.to))
      .executeTakeFirstOrThrow()
    return { [table]: total }
  },
})

const COUNTER_OF_KIND = {
  observation: 'observations',
  attempt: 'attempts',
  correction: 'corrections',
  result: 'results',
  reuse: 'reuses',
} as const satisfies Record<Exclude<EntryKind, 'question'>, CounterName>

/** Questions add only their sources here; each question counts as the investigation that it opens. */
const contributed: CounterQuery = {
  counters: [...Object.values(COUNTER_OF_KIND), 'sources'],
  count: async (db, day) => {
    const kinds = await db
      .selectFrom('messages')
      .innerJoin('entries', 'entries.message_id', 'messages.id')
      .select((eb) => [
        'entries.kind',
        eb.fn.countAll<bigint>().as('total'),
        total('entries.source_count').as('sources'),
      ])
      .where(VISIBLE_MESSAGE)
      .where('messages.investigation_id', 'is not', null)
      .where('messages.publish_at', '>=', BigInt(day.from))
      .where('messages.publish_at', '<', BigInt(day.to))
      .groupBy('entries.kind')
      .execute()
    const counted: Counted = { sources: kinds.reduce((sum, kind) => sum + kind.sources, 0n) }
    for (const [kind, counter] of Object.entries(COUNTER_OF_KIND))
      counted[counter] = kinds.find((row) => row.kind === kind)?.total ?? 0n
    return counted
  },
}

const reviewed: CounterQuery = {
  counters: ['reviews'],
  count: (db, day) =>
    db
      .selectFrom('reviews')
      .innerJoin('messages', 'messages.id', 'reviews.message_id')
      .select((eb) => eb.fn.countAll<bigint>().as('reviews'))
      .where(VISIBLE_MESSAGE)
      .where('reviews.created_at', '>=', BigInt(day.from))
      .where('reviews.created_at', '<', BigInt(day.to))
      .executeTakeFirstOrThrow(),
}

const QUERIES = [
  published,
  created('directories'),
  created('investigations'),
  contributed,
  reviewed,
]

/**
 * Counts the records of a day that are visible now. A failed query leaves only its own counters null.
 * @throws when the database is locked or unavailable: a retry may succeed, and a day is written only once
 */
export async function countDay(
  db: Queryable,
  day: Interval,
): Promise<{ counts: Counts; failures: CounterFailure[] }> {
  const counted: Counted = {}
  const failures: CounterFailure[] = []
  for (const query of QUERIES) {
    try {
      Object.assign(counted, await inSavepoint(db, () => query.count(db, day)))
    } catch (error) {
      if (isLocked(error)) throw error
      const message = error instanceof Error ? error.message : String(error)
      failures.push({ counters: query.counters, message })
    }
  }
  return { counts: perCounter((name) => counted[name] ?? null), failures }
}

/**
 * Runs queries in a savepoint: after an error, PostgreSQL rejects every statement until the transaction returns to one.
 * Outside a transaction, it just runs them.
 * @throws what `work` throws; DatabaseUnavailable when the connection is gone
 */
export async function inSavepoint<T>(db: Queryable, work: () => Promise<T>): Promise<T> {
  if (!db.isTransaction) return work()
  await sql`savepoint part`.execute(db)
  try {
    const result = await work()
    await sql`release savepoint part`.execute(db)
    return result
  } catch (error) {
    await sql`rollback to savepoint part`.execute(db)
    throw error
  }
}

/** The current day and its counts so far; null for a counter that could not be read. */
export interface Today {
  day: string
  counters: Snapshot['counters']
}

/** How long the counts are cached [ms], so that their cost does not grow with the number of visitors. */
const CACHE_MS = 10_000

/** Counts the current day, at most once in ten seconds. @throws when the database cannot be read */
export type TodayCounts = () => Promise<Today>

export function todayCounts(db: Queryable, clock: Clock): TodayCounts {
  let until = Number.NEGATIVE_INFINITY
  let counting: Promise<Today> | undefined
  return () => {
    const at = clock.now()
    if (counting && at < until) return counting
    const day = dayOf(at)
    until = Math.min(at + CACHE_MS, daySpan(day).to)
    counting = countDay(db, daySpan(day)).then(
      ({ counts }) => ({ day, counters: perCounter((name) => counts[name]?.toString() ?? null) }),
      (error) => {
        counting = undefined
        throw error
      },
    )
    return counting
  }
}
