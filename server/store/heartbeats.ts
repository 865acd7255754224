// What the heartbeats of servers mean, to the server that writes them and to whoever reads them (FORMAT.md 5 and 6).

export const HEARTBEAT_EVERY_MS = 10_000
/** A server that is silent for longer counts as gone: two heartbeats in a row may fail. */
export const LONGEST_SILENCE_MS = 3 * HEARTBEAT_EVERY_MS

/** A running server's clock moved: the instant that its monotonic clock predicted, and the one it read [ms since 1970]. */
export interface ClockStep {
  expectedAt: number
  actualAt: number
}

/** Names of features, as the database holds them. */
export const listFeatures = (names: readonly string[]): string => [...names].sort().join(',')

/** The inverse of `listFeatures`. */
export const featuresIn = (list: string): string[] => (list === '' ? [] : list.split(','))
