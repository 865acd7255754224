// Turns SIGINT and SIGTERM into an AbortSignal, with the exit code of a stopped run.

/** Added to a signal's number to form the exit code, as shells do. */
const EXIT_SIGNAL_BASE = 128
const SIGNALS = { SIGINT: 2, SIGTERM: 15 } as const
/** What cannot be aborted may take this long to end by itself [ms], such as a query or the lookup of a host name. */
const GRACE_MS = 4_000

/** The reason of an abort by a signal. */
export class Stopped extends Error {
  readonly exitCode: number
  constructor(signal: keyof typeof SIGNALS) {
    super(`stopped by ${signal}; the next run resumes from here`)
    this.exitCode = EXIT_SIGNAL_BASE + SIGNALS[signal]
  }
}

/**
 * Does work that SIGINT and SIGTERM stop: between two stages, during the encoding of a film, or during a request. If it
 * has not ended soon after, the process ends by the signal's own action, which leaves what a kill leaves.
 * @param command the start of the line that is printed then
 * @throws Stopped if a signal came and the work failed, whatever the error
 */
export async function stoppable<T>(
  command: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const signal = stopSignal(command)
  try {
    return await work(signal)
  } catch (error) {
    signal.throwIfAborted()
    throw error
  }
}

/** A second SIGINT or SIGTERM does nothing, because the terminal and npm each send one. */
function stopSignal(command: string): AbortSignal {
  const controller = new AbortController()
  const stop = (name: keyof typeof SIGNALS) => {
    if (controller.signal.aborted) return
    const stopped = new Stopped(name)
    controller.abort(stopped)
    setTimeout(() => {
      const hasReported = process.exitCode !== undefined
      if (!hasReported) console.error(`${command}: ${stopped.message}`)
      // Not process.exit, which waits for lookups in progress.
      process.removeAllListeners(name)
      process.kill(process.pid, name)
    }, GRACE_MS).unref()
  }
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, stop)
  return controller.signal
}
