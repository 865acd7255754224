// Runs asynchronous work: several items at a time, in order of arrival, or once for many callers.

/** Maps items, and yields the results in the order of the items. @param width the maximum number of items in progress */
export async function* mapInOrder<T, R>(
  items: Iterable<T>,
  width: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const running: Promise<R>[] = []
  for (const item of items) {
    const result = work(item)
    // A failure while an earlier item is awaited is thrown when its turn comes; until then it counts as handled.
    result.catch(() => {})
    running.push(result)
    if (running.length >= width) yield running.shift() as Promise<R>
  }
  yield* running
}

/**
 * Works on items, `width` at a time. After an error it begins no more, and rejects once all work has stopped, because
 * the caller then releases the lock.
 */
export async function forEachConcurrently<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let left = [...items]
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  const workers = Array.from({ length: width }, () =>
    worker().catch((error) => {
      left = []
      throw error
    }),
  )
  await Promise.allSettled(workers)
  await Promise.all(workers)
}

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

export class Queue {
  readonly #width: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  /** @param width the maximum number of works in progress */
  constructor(width = 1) {
    this.#width = width
  }

  /** Runs `work` once it is its turn. A failure does not affect later work. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running === this.#width)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running++
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }
}
