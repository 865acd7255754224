// The timeouts that PostgreSQL enforces, and the SQL that sets them for a transaction or a connection.

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
