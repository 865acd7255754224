// Handles the signals that stop a long-running command. Plain JavaScript, so that the handlers are installed before
// anything slow is loaded.

/**
 * Resolves with the first SIGINT or SIGTERM and ignores later ones: the terminal signals the whole process group and npm
 * forwards the signal it receives, so one Ctrl-C arrives twice (OPERATING.md 2.3). Call it before anything else; until then a
 * signal kills the process at once.
 * @returns {Promise<NodeJS.Signals>}
 */
export function stopSignal() {
  const { promise, resolve } = Promise.withResolvers()
  process.on('SIGINT', resolve)
  process.on('SIGTERM', resolve)
  return promise
}
