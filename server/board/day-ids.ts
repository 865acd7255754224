// Finds the ids of the messages of days: messages have ascending times, apart from those around a repair of the clock.
import { daySpan } from '../../archive/format/calendar.ts'
import { compiled } from '../database/compiled.ts'
import type { Queryable } from '../database/database.ts'
import { visibleIds } from './queries.ts'

const firstFrom = compiled((db, { at }: { at: bigint }) =>
  visibleIds(db).where('publish_at', '>=', at).orderBy('publish_at').orderBy('id').limit(1),
)

const lastBefore = compiled((db, { at }: { at: bigint }) =>
  visibleIds(db)
    .where('publish_at', '<', at)
    .orderBy('publish_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
)

/** Returns the id of the first visible message of a UTC day or later; undefined if there is none. */
export async function firstIdFrom(db: Queryable, day: string): Promise<bigint | undefined> {
  return (await firstFrom(db, { at: BigInt(daySpan(day).from) }))[0]?.id
}

/** Returns the id after that of the last visible message of a UTC day or earlier; 1 if there is none. */
export async function idAfter(db: Queryable, day: string): Promise<bigint> {
  return ((await lastBefore(db, { at: BigInt(daySpan(day).to) }))[0]?.id ?? 0n) + 1n
}
