// The append-only record of moderation. Each row is written in the transaction of the action itself.
import type { Queryable, Transaction } from '../database.ts'
import { allOf, type Schema } from '../schema/schema.ts'
import { nextId } from './sequences.ts'

/** The first and the last of consecutive message ids. */
export type IdRange = readonly [first: bigint, last: bigint]

export interface Action {
  act: Schema['moderation_log']['act']
  target_kind: Schema['moderation_log']['target_kind']
  target: string
  /** Public. */
  reason: string
  /** The messages of an action on many, ascending. */
  ranges?: readonly IdRange[]
}

/** @param now [ms since 1970] @returns the id of the action */
export async function logAction(
  tx: Transaction,
  { ranges = [], ...action }: Action,
  now: number,
): Promise<bigint> {
  const id = await nextId(tx, 'moderation')
  await tx
    .insertInto('moderation_log')
    .values({ id, at: now, ...action, ranges: writeRanges(ranges) })
    .execute()
  return id
}

/** Joins ascending ids to ranges of consecutive ones. */
export function rangesIn(ids: readonly bigint[]): IdRange[] {
  const ranges: [bigint, bigint][] = []
  for (const id of ids) {
    const last = ranges.at(-1)
    if (last?.[1] === id - 1n) last[1] = id
    else ranges.push([id, id])
  }
  return ranges
}

/** Lists ranges for people: `12-14, 17`. */
export const listRanges = (ranges: readonly IdRange[]): string =>
  ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(', ')

/** Writes ranges as JSON: `[[3,7],[12,12]]`. */
export const writeRanges = (ranges: readonly IdRange[]): string =>
  `[${ranges.map((range) => `[${range.join(',')}]`).join(',')}]`

export const readRanges = (text: string): IdRange[] =>
  [...text.matchAll(/([0-9]+),([0-9]+)/g)].map(([, first = '', last = '']) => [
    BigInt(first),
    BigInt(last),
  ])

export const isWithin = (ranges: readonly IdRange[], id: bigint): boolean =>
  ranges.some(([first, last]) => first <= id && id <= last)

export async function readLog(db: Queryable, after: bigint, limit: number) {
  return db
    .selectFrom('moderation_log')
    .select(allOf('moderation_log'))
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Returns the newest action of a kind; null if there is none. */
export async function newestAction(db: Queryable, act: Action['act']) {
  const row = await db
    .selectFrom('moderation_log')
    .select(['at', 'target', 'reason'])
    .where('act', '=', act)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}
