// How long a reader waits for the files of a log to agree, in case a run is between two of its steps (FORMAT.md 13.6).

/** How often a reader reads them again. */
export const REREADS = 3

/** The pause before each time [ms]. */
export const REREAD_AFTER_MS = 5_000
