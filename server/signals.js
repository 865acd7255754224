// The signals that end a long-running command. This file is no TypeScript, so that the handlers are there before anything
// that takes time is loaded.

/**
 * Resolves with the first SIGINT or SIGTERM. Later ones change nothing: a terminal signals the whole
 * process group and npm passes its own signal on, so that one Ctrl-C arrives twice (API.md 10.9).
 * Call it first of all; until then a signal ends the process at once.
 * @returns {Promise<NodeJS.Signals>}
 */
export function stopSignal() {
  const { promise, resolve } = Promise.withResolvers()
  process.on('SIGINT', resolve)
  process.on('SIGTERM', resolve)
  return promise
}
