// One PostgreSQL host: what it tells about itself, and pools of connections to it.
import type { Client, ClientConfig } from 'pg'
import { type Clock, within } from '../../system/system.ts'
import type { HostAnswer } from './election.ts'
import { NotPrimary } from './errors.ts'
import { ConnectionPool } from './pool.ts'
import {
  cannotTell,
  type Position,
  type Primary,
  parseTimeline,
  SYSTEM,
  TIMELINE,
} from './position.ts'
import { isDirect, setUnlessPooled, type Timeouts } from './session.ts'

/** How long a host has to tell about itself [ms]. */
const ASK_TIMEOUT_MS = 2_000

export interface HostConfig extends ClientConfig {
  /** Timeout for a free or new connection of a pool [ms]. */
  connectionTimeoutMillis: number
}

export type Host = ReturnType<typeof hostAt>

/** @param name as `host:port` */
export function hostAt(
  name: string,
  pg: typeof import('pg'),
  config: HostConfig,
  { timeouts, clock }: { timeouts: Timeouts; clock: Clock },
) {
  return {
    name,
    /** Connects, and asks for the host's role and position. @throws the driver's error */
    async ask(): Promise<HostAnswer> {
      const client = new pg.Client({ ...config, connectionTimeoutMillis: ASK_TIMEOUT_MS })
      client.on('error', () => {})
      try {
        const answered = client.connect().then(() => tell(client))
        const told = await within(ASK_TIMEOUT_MS, answered, null)
        if (told === null) throw new Error('timeout expired')
        return { host: name, ...told }
      } finally {
        // Never awaited: a host that does not respond does not close the connection either.
        client.end().catch(() => {})
      }
    },
    /** Returns a pool whose connections are at this position. */
    pool(max: number, position: Position | null): ConnectionPool {
      return new ConnectionPool(pg.Pool, {
        // Once the host refuses further connections, the one of `min` is all there is.
        config: { ...config, max, min: 1 },
        clock,
        prepare: (client) => prepare(client, { host: name, position }, timeouts),
      })
    },
  }
}

/**
 * Sets the timeouts and checks the position. By a statement, since a pooler may reject startup parameters.
 * @returns whether the connection is not behind a pooler
 */
async function prepare(
  client: Client,
  { host, position }: Primary,
  timeouts: Timeouts,
): Promise<boolean> {
  // Without a listener, a connection that dies while in use would crash the process; its query fails anyway.
  client.on('error', () => {})
  const { processID } = client as Client & { processID: number | null }
  const also = `${isDirect(processID)} as is_direct, ${setUnlessPooled(timeouts, processID)}`
  const answer = await tell(client, position !== null, also)
  if (answer.isReplica) throw new NotPrimary(`${host} is a replica, which accepts no writes`)
  if (
    answer.system !== (position?.system ?? null) ||
    answer.timeline !== (position?.timeline ?? null)
  )
    throw new NotPrimary(`${host} is no longer the database that it was`)
  return answer.isDirect
}

/**
 * Asks for role and position.
 * @param isAble false if the host cannot tell its position
 * @param also expressions to evaluate in the same statement
 */
async function tell(
  client: Client,
  isAble = true,
  also = 'null',
): Promise<Omit<HostAnswer, 'host'> & { isDirect: boolean }> {
  const position = `${SYSTEM} as system, case when not pg_is_in_recovery() then ${TIMELINE} end as timeline`
  const expressions = isAble ? position : 'null as system, null as timeline'
  const statement = `select pg_is_in_recovery() as follows, ${expressions}, ${also}`
  try {
    const query = { text: statement, query_timeout: ASK_TIMEOUT_MS }
    const { rows } = await client.query<Told>(query)
    const { follows, system, timeline, is_direct } = rows[0] as Told
    return {
      isReplica: follows,
      system,
      timeline: timeline === null ? null : parseTimeline(timeline),
      isDirect: is_direct === true,
    }
  } catch (error) {
    if (!isAble || !cannotTell(error)) throw error
    return tell(client, false, also)
  }
}

interface Told {
  follows: boolean
  system: string | null
  timeline: string | null
  /** Null or undefined if it is unknown. */
  is_direct?: boolean | null
}
