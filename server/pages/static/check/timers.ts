// Stands in for node:timers/promises in the script that checks a message.

export const setTimeout = (ms: number): Promise<void> =>
  new Promise((resolve) => globalThis.setTimeout(resolve, ms))
