// Declares the parts of the optional package pg that the store uses.
declare module 'pg' {
  import type { EventEmitter } from 'node:events'

  export interface Result {
    command: 'SELECT'
    rowCount: number
    rows: Record<string, unknown>[]
  }

  export interface ClientConfig {
    host: string
    port: number
    /** By default from the environment or the system, as is the password. */
    user?: string
    password?: string
    database?: string
    ssl: false | { ca?: string; rejectUnauthorized: boolean }
    application_name: string
    keepAlive: boolean
    /** The client's own timeout of a query [ms]. */
    query_timeout: number
    types: { getTypeParser(oid: number, format?: string): (text: string) => unknown }
  }

  export interface PoolConfig extends ClientConfig {
    max: number
    /** Timeout for a free or new connection [ms]. */
    connectionTimeoutMillis: number
    /** Called once for each connection, before it is first used. */
    onConnect(client: PoolClient): Promise<void>
  }

  export interface PoolClient extends EventEmitter {
    /** The process that serves this connection, as announced when it was opened; needed to cancel a query. */
    readonly processID: number | null
    /** Several statements return a list of results. */
    query(text: string, values?: readonly unknown[]): Promise<Result | Result[]>
    release(destroy?: boolean): void
  }

  export class Pool extends EventEmitter {
    constructor(config: PoolConfig)
    readonly totalCount: number
    readonly idleCount: number
    /** Requests waiting for a connection. */
    readonly waitingCount: number
    connect(): Promise<PoolClient>
    end(): Promise<void>
  }

  export const types: { getTypeParser(oid: number, format?: string): (text: string) => unknown }
}
