// Reads and writes heartbeat intervals and clock steps. Heartbeats ahead are of a wrong clock, and close nobody else.
import type { Queryable, Transaction } from '../database/database.ts'
import { type ClockStep, listFeatures } from '../database/records/heartbeats.ts'
import { nextId } from '../database/records/sequences.ts'
import { allOf, type LivenessRow } from '../database/schema/schema.ts'
import { TOLERANCE_MS } from '../database/settings/clock-settings.ts'
import type { State } from './rules.ts'

/** Begins an interval of zero length and returns its id. */
export async function beginInterval(
  tx: Transaction,
  server: string,
  at: number,
  state: State,
): Promise<bigint> {
  const id = await nextId(tx, 'liveness')
  await tx
    .insertInto('liveness')
    .values({
      id,
      server,
      from_at: at,
      to_at: at,
      read_only: state.readOnly ? 1 : 0,
      disabled_features: listFeatures(state.disabled),
      stopped: 0,
    })
    .execute()
  return id
}

/** Extends an interval; never shrinks it, since a clock that is being slewed may go back a little. */
export async function extendInterval(tx: Transaction, id: bigint, to: number): Promise<void> {
  await tx
    .updateTable('liveness')
    .set({ to_at: to })
    .where('id', '=', id)
    .where('to_at', '<', BigInt(to))
    .execute()
}

export async function markStopped(tx: Transaction, id: bigint): Promise<void> {
  await tx.updateTable('liveness').set({ stopped: 1 }).where('id', '=', id).execute()
}

export async function recordClockStep(
  tx: Transaction,
  server: string,
  step: ClockStep,
): Promise<void> {
  const id = await nextId(tx, 'clock_step')
  await tx
    .insertInto('clock_steps')
    .values({ id, server, expected_at: step.expectedAt, actual_at: step.actualAt })
    .execute()
}

/**
 * Returns the last interval of each of the most recent servers, latest first.
 * @param servers how many to return at most
 */
export async function lastIntervals(db: Queryable, servers: number): Promise<LivenessRow[]> {
  return db
    .selectFrom('liveness')
    .select(allOf('liveness'))
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('liveness')
        .select(({ fn }) => fn.max('id').as('id'))
        .groupBy('server'),
    )
    .orderBy('to_at', 'desc')
    .limit(servers)
    .execute()
}

/** A server with the latest time of its heartbeats, which lies ahead [ms since 1970]. */
export interface Ahead {
  server: string
  to: number
}

/** Lists the servers with heartbeats that lie ahead. @param now [ms since 1970] */
export async function serversAhead(db: Queryable, now: number): Promise<Ahead[]> {
  const rows = await db
    .selectFrom('liveness')
    .select((eb) => ['server', eb.fn.max('to_at').as('to')])
    .where('to_at', '>', BigInt(now + TOLERANCE_MS))
    .groupBy('server')
    .orderBy('server')
    .execute()
  return rows.map(({ server, to }) => ({ server, to: Number(to) }))
}
