// Works on several items at a time.

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
