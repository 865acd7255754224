// Declares the parts of the optional package pg that the store uses.
declare module 'pg' {
  import type { EventEmitter } from 'node:events'

  export interface Result {
    command: 'SELECT'
    rowCount: number
    rows: object[]
  }

  export interface Query {
    text: string
    values?: readonly unknown[] | undefined
    /** The client's own timeout [ms]. */
    query_timeout: number
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
    /** Timeout of the connection, for a client without a pool [ms]. */
    connectionTimeoutMillis: number
    types: { getTypeParser(oid: number, format?: string): (text: string) => unknown }
  }

  export interface PoolConfig extends ClientConfig {
    max: number
    /** Connections that stay open however long they are idle. */
    min: number
  }

  /** A connection. */
  export class Client extends EventEmitter {
    constructor(config: ClientConfig)
    connect(): Promise<void>
    end(): Promise<void>
    /** The process that serves this connection, as announced when it was opened; needed to cancel a query. */
    readonly processID: number | null
    /** Several statements return a list of results. */
    query(query: Query): Promise<Result | Result[]>
  }

  /** A connection of a pool, in use. */
  export interface PoolClient extends Client {
    release(destroy?: boolean): void
  }

  export class Pool extends EventEmitter {
    constructor(config: PoolConfig)
    readonly options: { max: number }
    readonly totalCount: number
    readonly idleCount: number
    /** Requests waiting for a connection. */
    readonly waitingCount: number
    connect(): Promise<PoolClient>
    end(): Promise<void>
  }

  export const types: { getTypeParser(oid: number, format?: string): (text: string) => unknown }
}
