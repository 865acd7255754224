// A PostgreSQL connection in use, as kysely expects it.
import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import type { PoolClient, QueryResult } from 'pg'
import { DatabaseUnavailable } from '../errors.ts'
import { asUnavailable, endsSession, isUnresponsive } from './errors.ts'

export interface SessionOptions {
  /** Timeout of a query, for a server that does not respond [ms]. */
  timeout: number
  /** Called when a query gets no response at all, not even that it took too long. */
  onUnresponsive(): void
  /** Returns the connection to its pool, or closes it. */
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
  async #query(text: string, values: readonly unknown[]): Promise<QueryResult> {
    // A rollback would wait as long as the query that failed.
    if (this.#isUnusable) throw new DatabaseUnavailable('the connection is lost')
    try {
      const query = { text, values: values as unknown[], query_timeout: this.#options.timeout }
      const results: QueryResult | QueryResult[] = await this.#client.query(query)
      return Array.isArray(results) ? (results.at(-1) as QueryResult) : results
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
