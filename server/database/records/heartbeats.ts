// The conventions of heartbeats that their writer and their readers share (FORMAT.md 5 and 6).

export const HEARTBEAT_EVERY_MS = 10_000
/** A server that is silent for longer counts as down; two heartbeats in a row may fail. */
export const LONGEST_SILENCE_MS = 3 * HEARTBEAT_EVERY_MS

/** A step of a server's wall clock: the time that the time since boot predicted, and the time read [ms since 1970]. */
export interface ClockStep {
  expectedAt: number
  actualAt: number
}

/** Feature names as the database stores them. */
export const listFeatures = (names: readonly string[]): string => [...names].sort().join(',')

export const featuresIn = (list: string): string[] => (list === '' ? [] : list.split(','))
