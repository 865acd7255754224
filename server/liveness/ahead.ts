// Finds and reports heartbeats that lie ahead of the clock: their server had a wrong clock, and closes nobody else.
import type { Queryable } from '../database/database.ts'
import { TOLERANCE_MS } from '../database/settings/clock-settings.ts'
import { instant } from '../wire/instant.ts'

/** How often the log repeats that a server's heartbeats lie ahead [ms]. */
const REPEAT_MS = 60 * 60 * 1000

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

/** Returns a function that names such servers in the log, each at once and then once an hour. */
export function aheadReporter(log: { error(fields: object, message: string): void }) {
  const reportedAt = new Map<string, number>()
  /** @param sinceBoot [ms] */
  return (found: readonly Ahead[], sinceBoot: number): void => {
    for (const { server, to } of found) {
      const last = reportedAt.get(server)
      if (last !== undefined && sinceBoot - last < REPEAT_MS) continue
      reportedAt.set(server, sinceBoot)
      log.error(
        {},
        `the heartbeats of server ${server} lie ahead, at ${instant(to)}: its clock was wrong`,
      )
    }
  }
}
