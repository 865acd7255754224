// The signals that ask a run to stop, and the exit code of one that was stopped.

/** Added to a signal's number, as shells do. */
const EXIT_SIGNAL = 128
const SIGNALS = { SIGINT: 2, SIGTERM: 15 } as const

/** The run was asked to stop. */
export class Stopped extends Error {
  readonly exitCode: number
  constructor(signal: keyof typeof SIGNALS) {
    super(`stopped by ${signal}; the next run goes on from here`)
    this.exitCode = EXIT_SIGNAL + SIGNALS[signal]
  }
}

/**
 * Ends the work between two stages, and the film within its own. A second signal changes nothing:
 * a terminal and npm send two.
 */
export function stopSignal(): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => controller.abort(new Stopped(name)))
  return controller.signal
}
