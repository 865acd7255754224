// Lets many callers share runs of one piece of work.

/**
 * Returns a function that runs `work`, one run at a time. All calls during a run share the next one, so that no call gets
 * the result of a run that began before it.
 */
export function coalesced<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | null = null
  return () => {
    next ??= running.then(() => {
      next = null
      const result = work()
      running = result.catch(() => {})
      return result
    })
    return next
  }
}
