// A PostgreSQL connection as kysely expects it, from its first use until it is closed, and the timeouts that the server
// enforces on it.
import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import type { PoolClient, QueryConfig, QueryResult } from 'pg'
import { DatabaseUnavailable } from '../errors.ts'
import { asUnavailable, endsSession, isUnresponsive } from './errors.ts'

export interface SessionOptions {
  /** Timeout of a query, for a server that does not respond [ms]. */
  timeout: number
  /** Null behind a pooler, where the next query may run on another connection, which lacks the statements of this one. */
  nameOf: ((text: string) => string | undefined) | null
  /** Called when a query gets no response at all, not even that it took too long. */
  onUnresponsive(): void
  release(destroy: boolean): void
}

/** After an error that makes the connection unusable, it is closed instead of returned to the pool. */
export class Session implements PostgresPoolClient {
  readonly #client: PoolClient
  readonly #options: SessionOptions
  #isUnusable = false

  constructor(client: PoolClient, options: SessionOptions) {
    this.#client = client
    this.#options = options
  }

  query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>
  /** Required by kysely's interface; never called. */
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query(text: unknown, values: readonly unknown[] = []): unknown {
    return this.#query(text as string, values)
  }

  /** Runs one or more statements, and returns the result of the last. */
  async #query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    // A rollback would wait as long as the query that failed.
    if (this.#isUnusable) throw new DatabaseUnavailable('the connection is lost')
    try {
      // One without values may be several statements, which have no name.
      const name = values.length > 0 ? this.#options.nameOf?.(text) : undefined
      const query = { name, text, values: values as unknown[] }
      return await answerOf<R>(this.#client, query, this.#options.timeout)
    } catch (error) {
      if (endsSession(error)) this.#isUnusable = true
      if (isUnresponsive(error)) this.#options.onUnresponsive()
      throw asUnavailable(error)
    }
  }

  /** @param destroy set by kysely after a failed rollback, since the transaction may still be open */
  release(destroy = false): void {
    this.#options.release(destroy || this.#isUnusable)
  }
}

/**
 * Runs a query, and rejects after this time [ms]. The driver's own promise and its `query_timeout` would do the same, but
 * they keep rows of earlier queries until the next full garbage collection, which took a third of the time of a page.
 */
function answerOf<R>(
  client: PoolClient,
  query: QueryConfig,
  ms: number,
): Promise<PostgresQueryResult<R>> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('Query read timeout')), ms)
    client.query(query, (error: Error | null, answer: QueryResult | QueryResult[]) => {
      clearTimeout(timer)
      if (error) reject(error)
      else resolve((Array.isArray(answer) ? answer.at(-1) : answer) as PostgresQueryResult<R>)
    })
  })
}

/** The server's timeouts [ms]. */
export interface Timeouts {
  /** For a statement; the client gives up a little later. */
  statement: number
  /** For waiting for a lock. */
  lock: number
  /** For a transaction that sends no further statement, since its client may be gone. */
  idle: number
}

const settingsOf = (timeouts: Timeouts): [name: string, value: number][] => [
  ['statement_timeout', timeouts.statement],
  ['lock_timeout', timeouts.lock],
  ['idle_in_transaction_session_timeout', timeouts.idle],
]

/** Returns statements that set the timeouts until the end of the transaction. */
export const setForTransaction = (timeouts: Timeouts): string =>
  settingsOf(timeouts)
    .map(([name, value]) => `set local ${name} = ${value}`)
    .join('; ')

/**
 * Returns the condition that a connection is not behind a pooler, which shares its connections among its clients.
 * @param processId the server process announced to the client, which tells poolers: they announce a number of their own
 */
export const isDirect = (processId: number | null): string => `pg_backend_pid() = ${processId}`

/**
 * Returns expressions for a `select` that set the connection's timeouts, except behind a pooler: the settings would apply
 * to other clients, and theirs to this one.
 */
export const setUnlessPooled = (timeouts: Timeouts, processId: number | null): string =>
  settingsOf(timeouts)
    .map(
      ([name, value]) =>
        `case when ${isDirect(processId)} then set_config('${name}', '${value}', false) end`,
    )
    .join(', ')
