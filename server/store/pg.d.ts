// What is used of the package pg, which is there only where somebody has chosen PostgreSQL.
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
    /** The environment's, or this system's, without it; so is the password. */
    user?: string
    password?: string
    database?: string
    ssl: false | { ca?: string; rejectUnauthorized: boolean }
    application_name: string
    keepAlive: boolean
    /** How long to wait for an answer, whatever the server does [ms]. */
    query_timeout: number
    types: { getTypeParser(oid: number, format?: string): (text: string) => unknown }
  }

  export interface PoolConfig extends ClientConfig {
    max: number
    /** For a free connection, or a new one [ms]. */
    connectionTimeoutMillis: number
    /** Called once for each connection, before it is first used. */
    onConnect(client: PoolClient): Promise<void>
  }

  export interface PoolClient extends EventEmitter {
    /** Of several statements the answer is a list. */
    query(text: string, values?: readonly unknown[]): Promise<Result | Result[]>
    release(destroy?: boolean): void
  }

  export class Pool extends EventEmitter {
    constructor(config: PoolConfig)
    readonly totalCount: number
    readonly idleCount: number
    /** Who waits for a connection. */
    readonly waitingCount: number
    connect(): Promise<PoolClient>
    end(): Promise<void>
  }

  export const types: { getTypeParser(oid: number, format?: string): (text: string) => unknown }
}
