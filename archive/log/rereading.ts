// Reads a log again while a run that is between two of its steps could explain what was found (FORMAT.md 12.5).

/** How often a reader reads the files of a log again. */
export const REREADS = 3

/** The pause before each time [ms]. */
export const REREAD_AFTER_MS = 5_000

/**
 * Repeats a reading, with pauses.
 * @param read gets the number of readings before
 * @param isSettled whether no run in progress could explain what was read
 * @param pauseMs before each further reading [ms]
 * @returns what was read last
 */
export async function rereading<T>(
  read: (before: number) => Promise<T>,
  isSettled: (found: T) => boolean,
  pauseMs = REREAD_AFTER_MS,
  pause: (ms: number) => Promise<unknown> = (ms) => new Promise((done) => setTimeout(done, ms)),
): Promise<T> {
  for (let rereads = 0; ; rereads++) {
    const found = await read(rereads)
    if (isSettled(found) || rereads === REREADS) return found
    await pause(pauseMs)
  }
}
