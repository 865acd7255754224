// Turns SIGINT and SIGTERM into an AbortSignal, with the exit code of a stopped run.

/** Added to a signal's number to form the exit code, as shells do. */
const EXIT_SIGNAL_BASE = 128
const SIGNALS = { SIGINT: 2, SIGTERM: 15 } as const

/** The reason of an abort by a signal. */
export class Stopped extends Error {
  readonly exitCode: number
  constructor(signal: keyof typeof SIGNALS) {
    super(`stopped by ${signal}; the next run resumes from here`)
    this.exitCode = EXIT_SIGNAL_BASE + SIGNALS[signal]
  }
}

/**
 * Returns a signal that stops the run between two stages, or during the encoding of a film. A second
 * SIGINT or SIGTERM does nothing, because the terminal and npm each send one.
 */
export function stopSignal(): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => controller.abort(new Stopped(name)))
  return controller.signal
}
