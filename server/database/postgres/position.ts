// Identifies the cluster that a PostgreSQL host serves, and the timeline on which it writes. A replica that is promoted
// begins a new timeline; the old primary, if it comes back, continues the old one.

/** The cluster of a host, and its place in the cluster's history. */
export interface Position {
  /** The identifier of the cluster, which its replicas share. */
  system: string
  /** One more after each promotion. */
  timeline: number
}

/** The host that a database is on. */
export interface Primary {
  /** As `host:port`. */
  host: string
  /** Null if the host cannot tell. */
  position: Position | null
}

/** SQL of the cluster's identifier. */
export const SYSTEM = 'cast((select system_identifier from pg_control_system()) as text)'

/** SQL of the timeline on which a primary writes, in hex. pg_control_checkpoint() lags behind a promotion. */
export const TIMELINE = 'left(pg_walfile_name(pg_current_wal_lsn()), 8)'

export const parseTimeline = (hex: string): number => Number.parseInt(hex, 16)

/** Undefined function, insufficient privilege, not supported, wrong state: the host does not have these functions. */
const CANNOT_TELL = /^(?:42883|42501|0A000|55000)$/

/** Whether an error means that the host does not tell its position. */
export const cannotTell = (error: unknown): boolean =>
  CANNOT_TELL.test(String((error as { code?: unknown } | null)?.code))

export const nameOfPosition = (position: Position | null): string =>
  position === null
    ? 'timeline unknown'
    : `timeline ${position.timeline} of cluster ${position.system}`

/** Names a host and its place in history. */
export const nameOfPrimary = ({ host, position }: Primary): string =>
  `${host}, ${nameOfPosition(position)}`
